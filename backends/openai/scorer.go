package openai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"proctor/backends"
	"proctor/backends/servers"
)

// A Scorer is a model behind llama-server that tells how likely given tokens are: one is made so likely that nothing else can be drawn, and
// the server reports log-probabilities as they were before that.
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
	return conclusive("it does not return log-probabilities of given tokens (%s): use llama-server of llama.cpp (2025 or later), or give the "+
		"model's GGUF file", fmt.Sprintf(format, a...))
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
		return conclusive("it has another vocabulary than %s", m.first.Name())
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
	err = servers.Try(ctx, m.options.Tries, func() error {
		return m.pool.Ask(ctx, s, func(s *server) error {
			a, err := m.logprobOf(ctx, s, before, token, most)
			if err == nil {
				t = &a.logprobs[0]
			}
			return err
		})
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
