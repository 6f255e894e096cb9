package openai

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"proctor/backends"
	"proctor/backends/servers"
)

// A Scorer is a model behind llama-server that tells how likely given tokens are: one is made so likely that nothing
// else can be drawn, and the server reports log-probabilities as they were before that.
type Scorer struct {
	*Model
	pieces []string         // of all tokens
	tokens map[string]int32 // by their piece
}

var _ backends.Scorer = (*Scorer)(nil)

// A tokenLogprob is a token of an answer, with its log-probability and the likeliest tokens in its place.
type tokenLogprob struct {
	ID      int32          `json:"id"`
	Bytes   []byte         `json:"bytes"`
	Logprob *float64       `json:"logprob"`
	Top     []tokenLogprob `json:"top_logprobs"`
}

// lacksLogprob says whether a token has no log-probability.
func lacksLogprob(t tokenLogprob) bool { return t.Logprob == nil }

// Scoring implements [backends.Scorable]. It tries each server: it must return all tokens with their probabilities, and the same one of an
// unlikely token when that is forced.
func (m *Model) Scoring(ctx context.Context) (backends.Model, error) {
	if m.closed {
		return nil, backends.ErrClosed
	}
	sc := &Scorer{Model: m}
	for _, s := range m.pool.Up() {
		if err := sc.meet(ctx, s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name(), err)
		}
	}
	sc.tokens = map[string]int32{}
	for token, piece := range sc.pieces {
		sc.tokens[piece] = int32(token) // of equal ones the last, as in-process
	}
	return sc, nil
}

// lacking is the error of a server that does not return the log-probabilities that are needed.
func lacking(format string, a ...any) error {
	return servers.Conclude("it does not return log-probabilities of given tokens (%s): use llama-server of llama.cpp "+
		"(2025 or "+
		"later), or give the model's GGUF file", fmt.Sprintf(format, a...))
}

// meet finds out whether a server returns what is needed, and what its tokens spell.
func (m *Scorer) meet(ctx context.Context, s *server) error {
	if of := s.known().kind; !of.llama() {
		return lacking("it is %s", strings.TrimSpace(version(s)+" "+map[bool]string{true: "of an unknown kind"}[of.name == ""]))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.options.Deadline, servers.ErrLate)
	defer cancel()
	before, err := s.tokenize(ctx, s.known().kind, s.known().model, "Which of these?")
	if err != nil || len(before) == 0 {
		return lacking("it counts no tokens")
	}
	const everyone = 1 << 20 // more than a vocabulary has
	all, err := m.probe(ctx, s, before, before[0], everyone)
	if err != nil {
		return err
	}
	pieces, mass := make([]string, len(all.Top)), 0.0
	for _, t := range all.Top {
		if t.ID < 0 || int(t.ID) >= len(pieces) {
			return lacking("%d tokens with ids up to %d", len(pieces), t.ID)
		}
		pieces[t.ID] = string(t.Bytes)
		mass += math.Exp(*t.Logprob)
	}
	if len(pieces) < 2 || math.Abs(mass-1) > 0.01 {
		return lacking("the probabilities of all %d add up to %.3f", len(pieces), mass)
	}
	if m.pieces != nil && !slices.Equal(m.pieces, pieces) {
		return servers.Conclude("it has another vocabulary than %s", m.first.Name())
	}
	m.pieces = pieces
	rank := slices.IndexFunc(all.Top[1:], func(t tokenLogprob) bool { return *t.Logprob < -7 && !m.broken(t.ID) })
	if rank < 0 {
		return lacking("no token is unlikely")
	}
	unlikely := all.Top[1+rank]
	again, err := m.probe(ctx, s, before, unlikely.ID, 1)
	if err == nil && math.Abs(*again.Logprob-*unlikely.Logprob) > 0.1 {
		err = lacking("a forced token has log-probability %.2f, and %.2f unforced", *again.Logprob, *unlikely.Logprob)
	}
	return err
}

// probe is logprobOf before a run; its error says in a line what the server cannot do.
func (m *Scorer) probe(ctx context.Context, s *server, before []int32, token int32, most int) (t *tokenLogprob, err error) {
	err = m.pool.Prepare(ctx, s, func(ctx context.Context, s *server) error {
		a, err := m.logprobOf(ctx, s, before, token, most)
		if err == nil {
			t = &a.logprobs[0]
		}
		return err
	})
	if e := (*servers.Error)(nil); errors.As(err, &e) && !e.Lasts() && e.Cause == backends.CauseEngine {
		return nil, lacking("%s", e.Text)
	}
	return t, err
}

// broken says whether a token ends inside a character: llama-server returns no log-probability of such a token.
func (m *Scorer) broken(token int32) bool {
	piece := m.pieces[token]
	for i := len(piece) - 1; i >= max(0, len(piece)-utf8.UTFMax); i-- {
		if utf8.RuneStart(piece[i]) {
			return !utf8.FullRuneInString(piece[i:])
		}
	}
	return false
}

// VocabularySHA256 implements [backends.Scorer]: empty, since a server does not say what tokens are for.
func (m *Scorer) VocabularySHA256() string { return "" }

// Piece implements [backends.Scorer].
func (m *Scorer) Piece(token int32) string {
	if token < 0 || int(token) >= len(m.pieces) {
		return ""
	}
	return m.pieces[token]
}

// TokenOf implements [backends.Scorer].
func (m *Scorer) TokenOf(piece string) (token int32, found bool) {
	token, found = m.tokens[piece]
	return token, found
}

// reach is how many of the likeliest tokens a request asks for. Each asked token that is not among them takes a
// request of its own.
const reach = 256

// forcing is the request that has a server write one given token behind others, since its score is raised by more
// than scores differ.
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
func (m *Scorer) Generate(
	ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error,
) error {
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
	c = backends.Completion{Predictions: c.Predictions, Usage: c.Usage, Timing: c.Timing, Finish: backends.FinishStop}
	return c, nil
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

// logprobOf has a server write one forced token behind others, with the log-probabilities of it and of the most
// likeliest.
func (m *Scorer) logprobOf(ctx context.Context, s *server, before []int32, token int32, most int) (*answer, error) {
	r := backends.Request{MaxTokens: 1, Logprobs: most, Forced: &backends.Forced{Tokens: []int32{token}}}
	a, err := m.ask(ctx, s, &servers.Request{Request: r, IDs: before, Pulled: time.Now()})
	if err != nil {
		return nil, err
	}
	if len(a.logprobs) != 1 || a.logprobs[0].ID != token ||
		slices.ContainsFunc(append(a.logprobs[0].Top, a.logprobs[0]), lacksLogprob) {
		return nil, &servers.Error{Cause: backends.CauseEngine,
			Text: fmt.Sprintf("it returned no log-probability of token %d", token)}
	}
	if a.usage.Prompt != len(before) {
		return nil, &servers.Error{Cause: backends.CauseTruncated, Final: true, Text: servers.Shortened(a.usage.Prompt,
			fmt.Sprintf(" of %d", len(before)), s.known().context)}
	}
	return a, nil
}
