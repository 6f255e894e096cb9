package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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

// probeText is what servers are probed with. Its letters are split as those of answers.
const probeText = "Which of these? A B C D"

// Scoring implements [backends.Scorable]. It tries the first server, with two requests: it must return all tokens with
// their probabilities, and the same one of an unlikely token when that is forced. The others must split a text as it
// does.
func (m *Model) Scoring(ctx context.Context) (backends.Model, error) {
	sc := &Scorer{Model: m, tokens: map[string]int32{}}
	first, known := m.first()
	lacking := func(s *server, format string, a ...any) error {
		return servers.Final("%s: it does not return log-probabilities of given tokens (%s): use llama-server of llama.cpp "+
			"(2025 or later), or give the model's GGUF file", s.Name(), fmt.Sprintf(format, a...))
	}
	if known.kind != llamaServer {
		return nil, lacking(first, "it is %s", cmp.Or(known.Engine, "of an unknown kind"))
	}
	if servers.Away(first.Name()) {
		return nil, servers.Final("%s is on another network, and gets no request before the first question, as letters' "+
			"probabilities need: reach it by an address of this network, or give the model's GGUF file", first.Name())
	}
	before, err := first.Count(ctx, probeText)
	if err != nil || len(before) == 0 {
		return nil, lacking(first, "it counts no tokens")
	}
	for _, s := range m.all {
		if s.known().kind == nil || s == first {
			continue
		}
		split, err := s.Count(ctx, probeText)
		if err != nil || !slices.Equal(split, before) {
			return nil, servers.Final("%s: it has another vocabulary than %s", s.Name(), first.Name())
		}
	}
	probe := func(token int32, most int) (t tokenLogprob, err error) {
		err = m.Probe(ctx, func(ctx context.Context) error {
			a, err := first.logprobOf(ctx, before, token, most)
			if err == nil {
				t = a.logprobs[0]
			}
			return err
		})
		if e, is := errors.AsType[*servers.Error](err); is && !e.Lasts() && e.Cause == backends.CauseEngine {
			return t, lacking(first, "%s", e.Text)
		}
		return t, err
	}
	const everyone = 1 << 20 // more than a vocabulary has
	all, err := probe(before[0], everyone)
	if err != nil {
		return nil, err
	}
	mass := 0.0
	sc.pieces = make([]string, len(all.Top))
	for _, t := range all.Top {
		if t.ID < 0 || int(t.ID) >= len(sc.pieces) {
			return nil, lacking(first, "%d tokens with ids up to %d", len(sc.pieces), t.ID)
		}
		sc.pieces[t.ID] = string(t.Bytes)
		mass += math.Exp(*t.Logprob)
	}
	if len(sc.pieces) < 2 || math.Abs(mass-1) > 0.01 {
		return nil, lacking(first, "the probabilities of all %d add up to %.3f", len(sc.pieces), mass)
	}
	for token, piece := range sc.pieces {
		sc.tokens[piece] = int32(token) // of equal ones the last, as in-process
	}
	rank := slices.IndexFunc(all.Top[1:], func(t tokenLogprob) bool { return *t.Logprob < -7 && !broken(sc.pieces[t.ID]) })
	if rank < 0 {
		return nil, lacking(first, "no token is unlikely")
	}
	unlikely := all.Top[1+rank]
	again, err := probe(unlikely.ID, 1)
	if err == nil && math.Abs(*again.Logprob-*unlikely.Logprob) > 0.1 {
		err = lacking(first, "a forced token has log-probability %.2f, and %.2f unforced", *again.Logprob, *unlikely.Logprob)
	}
	return sc, err
}

// broken says whether a token ends inside a character: llama-server returns no log-probability of such a token.
func broken(piece string) bool {
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

// Plan implements [backends.Planner]. Where no completion may have a token, all are forced.
func (m *Scorer) Plan(ctx context.Context, w backends.Workload) (backends.Allocation, error) {
	w.Forced = w.MaxTokens == 0
	return m.Model.Plan(ctx, w)
}

// reach is how many of the likeliest tokens a request asks for: letters are nearly always among them, in some 40 kB.
// Each asked token that is not takes a request of its own.
const reach = 256

// letters has a server tell the log-probabilities of a forced token, and of those that are asked beside it. A repeated
// request rounds otherwise, so a token's first one counts; and their sum is in single precision, so what it is above 1
// is taken off.
func (s *server) letters(ctx context.Context, r *servers.Request, to *servers.Answer) error {
	f := r.Forced
	if len(f.Tokens) != 1 || len(f.Ask) != 1 || f.Replaces != 0 {
		return servers.Final("a server reads one token behind a prompt")
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
		a, err := s.logprobOf(ctx, r.IDs, token, most)
		if err != nil {
			return err
		}
		for _, t := range append(a.logprobs[0].Top, a.logprobs[0]) {
			if _, told := known[t.ID]; !told {
				known[t.ID] = *t.Logprob
			}
		}
		if most > 1 {
			to.Told, to.Predictions = a.Told, []backends.Prediction{prediction(a, r.Logprobs)}
		}
	}
	mass := 0.0
	for _, logprob := range known {
		mass += math.Exp(logprob)
	}
	for _, token := range f.Ask[0] {
		to.Predictions[0].AskLogprobs = append(to.Predictions[0].AskLogprobs, known[token]-math.Log(max(1, mass)))
	}
	return nil
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
func (s *server) logprobOf(ctx context.Context, before []int32, token int32, most int) (*answer, error) {
	r := &servers.Request{IDs: before,
		Request: backends.Request{MaxTokens: 1, Logprobs: most, Forced: &backends.Forced{Tokens: []int32{token}}}}
	a, known := &answer{Answer: servers.NewAnswer(r)}, s.known()
	if err := s.stream(ctx, r, known.body(r, s.model.body), a); err != nil {
		return nil, err
	}
	a.tally()
	if len(a.logprobs) != 1 || a.logprobs[0].ID != token ||
		slices.ContainsFunc(append(a.logprobs[0].Top, a.logprobs[0]), func(t tokenLogprob) bool { return t.Logprob == nil }) {
		return nil, &servers.Error{Cause: backends.CauseEngine,
			Text: fmt.Sprintf("it returned no log-probability of token %d", token)}
	}
	if a.Prompt != len(before) {
		return nil, servers.Shortened(a.Prompt, fmt.Sprint(len(before)), known.Context)
	}
	return a, nil
}
