package schedule

import (
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/stream"
)

// A completion that an earlier Generate has begun is read behind its prompt, as a part of that, and drawn on from there. Proctor's kernels
// give a token the same bits wherever it is computed, so a greedy one is then what it would have been. A sampler begins anew.

// goOn gives a job what is known of its completion. A model with states can't have forks behind it: these begin at states that are gone.
func (g *generation) goOn(j *job) error {
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

// anew takes from a job what it has of a completion.
func (g *generation) anew(j *job) error {
	j.drawn, j.usage.OutputTokens, j.text, j.loop = nil, 0, stream.NewText(j.request.Stop), stream.Loop{}
	if j.thought == nil {
		return nil
	}
	return g.budgeted(j)
}

// tell hands over what completions under way have so far, of those whose requests want that: of all of them, or where it is time to.
func (g *generation) tell(all bool) error {
	for _, s := range g.slots {
		j := s.job
		if j == nil || j.request.Every == 0 || j.request.Logprobs > 0 || len(j.drawn) == 0 || !all && time.Since(j.told) < j.request.Every ||
			j.thought != nil && j.thought.whole != nil { // of its forks, nothing is kept
			continue
		}
		j.told = time.Now()
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
