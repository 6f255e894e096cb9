package schedule

import (
	"errors"
	"fmt"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/stream"
)

// A forced completion is read behind its prompt as a drawn one is, though many tokens at a time: no batch has tokens of prompts
// and of completions, which kernels may compute each in their way. So a model says of its own completions what it said when it
// drew them. The predictions come from the scores behind the prompt's last token and behind each of the completion's but the last.

// promptOfForced returns the tokens of a prompt that stay before a forced completion.
func promptOfForced(prompt []int32, f *backends.Forced) ([]int32, error) {
	if f.Replaces < 0 || f.Replaces > len(prompt) {
		return nil, fmt.Errorf("a forced completion replaces %d tokens of a prompt that has %d", f.Replaces, len(prompt))
	}
	return prompt[:len(prompt)-f.Replaces], nil
}

// force gives a job its completion, and refuses what cannot be run.
func (g *generation) force(j *job) (backends.Cause, error) {
	f := j.request.Forced
	if len(j.tokens) == 0 || len(f.Tokens) == 0 {
		return backends.CauseEngine, errors.New("a forced completion needs a token, and one before it")
	}
	all := append([][]int32{f.Tokens}, f.Ask...)
	for _, tokens := range all {
		for _, token := range tokens {
			if token < 0 || token >= g.vocabulary.Tokens() {
				return backends.CauseEngine, fmt.Errorf("token %d is none of the vocabulary's %d", token, g.vocabulary.Tokens())
			}
		}
	}
	j.forced, j.usage.OutputTokens = f.Tokens[:len(f.Tokens)-1], len(f.Tokens)
	if err := (backends.Workload{PromptTokens: len(j.tokens) + len(j.forced)}).Fits(g.engine.Context()); err != nil {
		return backends.CauseTruncated, err
	}
	j.text = stream.NewText(nil)
	return "", nil
}

// predict adds the predictions that a decoded batch gives to the jobs that keep them. broken has the slots whose forced completion has to stop,
// since the scores at one of its places are not numbers, with the token drawn there.
func (g *generation) predict(parts []part, batch engine.Batch, drawn []int32) (broken map[*slot]int32) {
	var places []engine.Place
	var of []*job
	top, at := 0, 0
	for _, p := range parts {
		j := p.slot.job
		for i := range p.tokens {
			if !batch[at+i].Draw || j.request.Logprobs == 0 {
				continue
			}
			if engine.Undrawn(drawn[at+i]) != nil {
				if broken == nil {
					broken = map[*slot]int32{}
				}
				broken[p.slot] = drawn[at+i]
				continue
			}
			places, of = append(places, j.place(at+i, p.slot.size+i, drawn[at+i])), append(of, j)
			top = max(top, j.request.Logprobs)
		}
		at += len(p.tokens)
	}
	if len(places) == 0 {
		return broken
	}
	for i, prediction := range g.engine.Predict(places, top) {
		prediction.Top = prediction.Top[:min(of[i].request.Logprobs, len(prediction.Top))]
		of[i].predictions = append(of[i].predictions, prediction)
	}
	return broken
}

// place is that of a batch behind a position of the job's sequence, where a token was drawn.
func (j *job) place(at, position int, drawn int32) engine.Place {
	f := j.request.Forced
	if f == nil {
		return engine.Place{At: at, Token: drawn}
	}
	n := position - j.first
	place := engine.Place{At: at, Token: f.Tokens[n]}
	if n < len(f.Ask) {
		place.Ask = f.Ask[n]
	}
	return place
}
