package openai

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/servers"
)

// reach is how many of the likeliest tokens a request asks for. Each asked token that is not among them takes a request of its own.
const reach = 256

// forcing is the request that has a server write one given token behind others, since its score is raised by more than scores differ.
func (m *Model) forcing(s *server, r *servers.Request) map[string]any {
	const surely = 1000
	all := map[string]any{}
	maps.Copy(all, m.options.Body.fields)
	maps.Copy(all, map[string]any{
		"model": s.known().model, "prompt": r.IDs, "max_tokens": 1, "stream": false, "temperature": 0, "cache_prompt": true,
		"logprobs": r.Logprobs, "logit_bias": [][2]int32{{r.Forced.Tokens[0], surely}},
	})
	return all
}

// Plan implements [backends.Planner]. Where no completion may have a token, all are forced.
func (m *Scorer) Plan(ctx context.Context, w backends.Workload) (backends.Allocation, error) {
	w.Forced = w.MaxTokens == 0
	return m.Model.Plan(ctx, w)
}

// Generate implements [backends.Model].
func (m *Scorer) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	capped := func(yield func(backends.Request) bool) {
		for r := range requests {
			if r.Forced != nil {
				r.MaxTokens = 1
			}
			if !yield(r) {
				return
			}
		}
	}
	return m.generate(ctx, capped, m.force, done)
}

// force has a server tell the log-probabilities of a forced token, and of those that are asked beside it.
func (m *Scorer) force(ctx context.Context, s *server, r *servers.Request) (c backends.Completion, err error) {
	f := r.Forced
	if f == nil {
		return m.complete(ctx, s, r)
	}
	if len(f.Tokens) != 1 || len(f.Ask) != 1 || f.Replaces != 0 {
		return c, &servers.Error{Cause: backends.CauseEngine, Final: true, Text: "a server reads one token behind a prompt"}
	}
	known := map[int32]float64{}
	for _, token := range slices.Concat(f.Tokens, f.Ask[0]) {
		if _, told := known[token]; told {
			continue
		}
		most := 1
		if len(known) == 0 {
			most = max(reach, r.Logprobs)
		}
		a, err := m.logprobOf(ctx, s, r.IDs, token, most)
		if err != nil {
			return backends.Completion{}, err
		}
		for _, t := range append(a.logprobs[0].Top, a.logprobs[0]) {
			known[t.ID] = *t.Logprob
		}
		if most > 1 {
			c = a.completion(m.Tokenize)
			c.Predictions = []backends.Prediction{prediction(a, r.Logprobs)}
		}
	}
	for _, token := range f.Ask[0] {
		c.Predictions[0].AskLogprobs = append(c.Predictions[0].AskLogprobs, known[token])
	}
	return backends.Completion{Predictions: c.Predictions, Usage: c.Usage, Timing: c.Timing, Finish: backends.FinishStop}, nil
}

// prediction is what an answer tells of its one token, with the most likeliest.
func prediction(a *answer, most int) backends.Prediction {
	told := a.logprobs[0]
	p := backends.Prediction{Token: told.ID, Logprob: *told.Logprob, Entropy: math.NaN()}
	rest := 1.0
	for _, t := range told.Top[:min(most, len(told.Top))] {
		p.Top = append(p.Top, backends.Logprob{Token: t.ID, Logprob: *t.Logprob})
		rest -= math.Exp(*t.Logprob)
	}
	p.Rest = math.Log(max(0, rest))
	return p
}

// logprobOf has a server write one forced token behind others, with the log-probabilities of it and of the most likeliest.
func (m *Scorer) logprobOf(ctx context.Context, s *server, before []int32, token int32, most int) (*answer, error) {
	r := backends.Request{MaxTokens: 1, Logprobs: most, Forced: &backends.Forced{Tokens: []int32{token}}}
	a, err := m.ask(ctx, s, &servers.Request{Request: r, IDs: before, Pulled: time.Now()})
	switch {
	case err != nil:
		return nil, err
	case len(a.logprobs) != 1 || a.logprobs[0].ID != token || slices.ContainsFunc(append(a.logprobs[0].Top, a.logprobs[0]), lacksLogprob):
		return nil, &servers.Error{Cause: backends.CauseEngine, Text: fmt.Sprintf("it returned no log-probability of token %d", token)}
	case a.usage.Prompt != len(before):
		return nil, &servers.Error{Cause: backends.CauseTruncated, Final: true, Text: servers.Shortened(a.usage.Prompt,
			fmt.Sprintf(" of %d", len(before)), s.known().context)}
	}
	return a, nil
}
