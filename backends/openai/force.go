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

// reach is how many of the likeliest tokens a request asks for where a place of a longer completion has tokens beside the forced one. Each
// that is not among them takes a request of its own. For a single place all tokens are requested.
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
	w.Forced = w.Forced || w.MaxTokens == 0
	return m.Model.Plan(ctx, w)
}

// Generate implements [backends.Model].
func (m *Scorer) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	capped := func(yield func(backends.Request) bool) {
		for r := range requests {
			if r.Forced != nil {
				r.MaxTokens = len(r.Forced.Tokens)
			}
			if !yield(r) {
				return
			}
		}
	}
	return m.generate(ctx, capped, m.force, done)
}

// force has a server read a forced completion, token by token. What it read is kept for the next try.
func (m *Scorer) force(ctx context.Context, s *server, r *servers.Request) (c backends.Completion, err error) {
	f := r.Forced
	if f == nil {
		return m.complete(ctx, s, r)
	}
	if err := m.check(r); err != nil {
		return c, err
	}
	if earlier, tried := m.read.LoadAndDelete(r); tried {
		c = earlier.(backends.Completion)
	}
	before := slices.Clip(r.IDs[:len(r.IDs)-f.Replaces])
	for i := len(c.Predictions); i < len(f.Tokens); i++ {
		here := place{server: s, before: append(before, f.Tokens[:i]...), token: f.Tokens[i], most: max(1, r.Logprobs), known: map[int32]float64{}}
		if i < len(f.Ask) {
			here.ask = f.Ask[i]
		}
		switch {
		case len(f.Tokens) == 1:
			here.first = len(m.pieces)
		case len(here.ask) > 0:
			here.first = reach
		}
		p, first, err := m.predict(ctx, &here)
		if err != nil {
			m.read.Store(r, c)
			return backends.Completion{}, err
		}
		c.Predictions = append(c.Predictions, p)
		if i == 0 {
			c.Usage, c.Timing = first.Usage, first.Timing
		} else {
			c.Timing.Decode += first.Timing.Prefill + first.Timing.Decode
		}
	}
	c.Finish, c.Usage.OutputTokens = backends.FinishStop, len(f.Tokens)
	return c, nil
}

// check refuses a completion that no server can read.
func (m *Scorer) check(r *servers.Request) error {
	fail := func(format string, a ...any) error {
		return &servers.Error{Cause: backends.CauseEngine, Final: true, Text: fmt.Sprintf(format, a...)}
	}
	f := r.Forced
	if f.Replaces < 0 || f.Replaces >= len(r.IDs) || len(f.Tokens) == 0 {
		return fail("a forced completion needs a token, and one before it")
	}
	for _, tokens := range append([][]int32{f.Tokens}, f.Ask...) {
		for _, token := range tokens {
			if token < 0 || int(token) >= len(m.pieces) {
				return fail("token %d is none of the vocabulary's %d", token, len(m.pieces))
			}
		}
	}
	return nil
}

// A place is one of a forced completion's tokens.
type place struct {
	server *server
	before []int32
	token  int32
	ask    []int32
	most   int               // of the likeliest that the prediction has
	first  int               // of the likeliest that the first request asks for, if they are more
	known  map[int32]float64 // log-probabilities
}

// predict returns the prediction at a place. first is the completion of the first request.
func (m *Scorer) predict(ctx context.Context, at *place) (p backends.Prediction, first backends.Completion, err error) {
	a, err := m.look(ctx, at, at.token, max(at.most, at.first))
	if err != nil {
		return p, first, err
	}
	for _, token := range append([]int32{at.token}, at.ask...) {
		if _, told := at.known[token]; told {
			continue
		}
		n := 1
		if m.broken(token) { // among all alone
			n = len(m.pieces)
		}
		if _, err := m.look(ctx, at, token, n); err != nil {
			return p, first, err
		}
	}
	p = backends.Prediction{Token: at.token, Logprob: at.known[at.token], Entropy: math.NaN(), Slack: m.slack()}
	rest, top := 1.0, a.logprobs[0].Top
	for _, t := range top[:min(at.most, len(top))] {
		p.Top = append(p.Top, backends.Logprob{Token: t.ID, Logprob: *t.Logprob})
		rest -= math.Exp(*t.Logprob)
	}
	p.Rest = math.Log(max(0, rest))
	for _, token := range at.ask {
		p.AskLogprobs = append(p.AskLogprobs, at.known[token])
	}
	return p, a.completion(m.Tokenize), nil
}

// slack bounds the error of llama-server's sum over all tokens, in single precision and the likeliest first: half a last place for each.
func (m *Scorer) slack() float64 { return float64(len(m.pieces)) * 0x1p-24 }

// look has a token forced at a place (another one instead of a token that ends inside a character), and notes the log-probabilities.
func (m *Scorer) look(ctx context.Context, at *place, token int32, most int) (*answer, error) {
	if m.broken(token) {
		token = m.whole
	}
	a, err := m.logprobOf(ctx, at.server, at.before, token, most)
	if err != nil {
		return nil, err
	}
	if all := a.logprobs[0].Top; len(all) == len(m.pieces) {
		normalise(all)
	} else {
		at.known[token] = *a.logprobs[0].Logprob
	}
	for _, t := range a.logprobs[0].Top {
		at.known[t.ID] = *t.Logprob
	}
	return a, nil
}

// normalise has the probabilities of all tokens add up to 1: see [Scorer.slack].
func normalise(all []tokenLogprob) {
	mass := 0.0
	for _, t := range all {
		mass += math.Exp(*t.Logprob)
	}
	for _, t := range all {
		*t.Logprob -= math.Log(mass)
	}
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
