package schedule

import (
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/stream"
)

// An interrupted completion is resumed by decoding the tokens that it already has as a part of its prompt. With proctor's kernels a token has
// the same bits wherever it is computed, and which one is drawn from its scores follows from the request and its
// position: the completion is the same as without the interruption.

// continueDrawn gives a job the tokens that an earlier Generate drew. A model with states that forks at budgets starts over: its forks
// need states that are gone.
func (g *generation) continueDrawn(j *job) error {
	if len(j.request.Drawn) == 0 || j.thought != nil && g.traits.Stateful && len(j.thought.budgets) > 1 {
		return nil
	}
	s := &slot{job: j}
	for _, token := range j.request.Drawn {
		taken := token
		if j.thought != nil {
			taken, _ = g.instead(s, token)
		}
		if finish, _ := g.take(j, taken); taken != token || finish != "" { // it was drawn otherwise
			return g.anew(j)
		}
	}
	j.tokens = slices.Concat(j.tokens, j.request.Drawn)
	j.first = len(j.tokens) - 1
	return nil
}

// anew discards what a job has of its completion.
func (g *generation) anew(j *job) error {
	j.drawn, j.usage.OutputTokens, j.text, j.loop = nil, 0, stream.NewText(j.request.Stop), stream.Loop{}
	if j.thought == nil {
		return nil
	}
	return g.budgeted(j)
}

// report hands over the tokens so far of unfinished completions whose requests have Every set: of all of them, or of those that are due.
func (g *generation) report(all bool) error {
	for _, s := range g.slots {
		j := s.job
		if j == nil || j.request.Every == 0 || j.request.Logprobs > 0 || len(j.drawn) == 0 || !all && time.Since(j.reported) < j.request.Every ||
			j.thought != nil && j.thought.whole != nil { // of its forks, nothing is kept
			continue
		}
		j.reported = time.Now()
		err := g.done(backends.Completion{
			ID: j.request.ID, Finish: backends.FinishOpen, Tokens: slices.Clone(j.drawn), Usage: j.usage, Timing: j.timing,
			Resumed: j.given(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
