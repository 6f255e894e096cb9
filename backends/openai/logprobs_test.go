package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama/ollamatest"
	"proctor/scripts/tests/errortest"
)

func vocabularyOf(t *testing.T, path string) *llamacpp.Vocabulary {
	t.Helper()
	v, err := llamacpp.OpenVocabulary(path, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// place is a token with those that were likeliest in its place, as a vocabulary has them.
type place struct {
	token int32
	top   []int32
}

// places are those of a text's tokens, each of them the likeliest of 20 with texts of their own.
func places(t *testing.T, v *llamacpp.Vocabulary, text string) (all []place) {
	t.Helper()
	before, err := v.Tokenize("")
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := v.Tokenize(text)
	if err != nil || len(tokens) < len(before)+3 {
		t.Fatal(tokens, err)
	}
	for _, token := range tokens[len(before):] {
		p := place{token, []int32{token}}
		for other := token + 1; len(p.top) < backends.TopLogprobs; other = (other + 1) % 200 {
			piece := v.Piece(other)
			same, found := v.TokenOf(piece)
			if found && same == other && piece != "" && utf8.ValidString(piece) && !slices.Contains(p.top, other) {
				p.top = append(p.top, other)
			}
		}
		all = append(all, p)
	}
	return all
}

// logprobOf is the logarithm of the i-th likeliest token's probability, of 2^-(i+1).
func logprobOf(i int) float64 { return -float64(i+1) * math.Ln2 }

// told writes a place in the words of conversations.
func (p place) told(of func(int32) map[string]any) map[string]any {
	whole := of(p.token)
	whole["logprob"] = logprobOf(0)
	var top []any
	for i, token := range slices.Backward(p.top) { // in no order that is promised
		one := of(token)
		one["logprob"] = logprobOf(i)
		top = append(top, one)
	}
	whole["top_logprobs"] = top
	return whole
}

// older writes a place in the words of raw completions.
func (p place) older(of func(int32) string) map[string]any {
	top := map[string]float64{}
	for i, token := range p.top {
		top[of(token)] = logprobOf(i)
	}
	return map[string]any{"tokens": []string{of(p.token)}, "token_logprobs": []float64{logprobOf(0)}, "top_logprobs": []any{top}}
}

// say streams a text's tokens, a piece each, with what is told of each.
func say(w http.ResponseWriter, v *llamacpp.Vocabulary, all []place, tell func(place) map[string]any) {
	var lines []string
	for _, p := range all {
		choice, _ := json.Marshal(map[string]any{"index": 0, "text": v.Piece(p.token), "logprobs": tell(p)})
		lines = append(lines, fmt.Sprintf(`{"choices":[%s]}`, choice))
	}
	lines = append(lines, fmt.Sprintf(`{"choices":[{"index":0,"text":"","finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":9,"completion_tokens":%d}}`, len(all)+1))
	events(w, lines...)
}

func TestWhatServersTellOfTokensIsReadInTheirOwnWords(t *testing.T) {
	v := vocabularyOf(t, control)
	all := places(t, v, "The answer is (B).")
	content := func(of func(int32) map[string]any) func(place) map[string]any {
		return func(p place) map[string]any { return map[string]any{"content": []any{p.told(of)}} }
	}
	bytes := func(token int32) []int {
		var numbers []int
		for _, b := range []byte(v.Piece(token)) {
			numbers = append(numbers, int(b))
		}
		return numbers
	}
	for name, tell := range map[string]func(place) map[string]any{
		"ids and texts": content(func(token int32) map[string]any { return map[string]any{"id": token, "token": v.Piece(token)} }),
		"texts":         content(func(token int32) map[string]any { return map[string]any{"token": v.Piece(token), "bytes": nil} }),
		"bytes":         content(func(token int32) map[string]any { return map[string]any{"token": "\uFFFD", "bytes": bytes(token)} }),
		"ids as texts": content(func(token int32) map[string]any {
			return map[string]any{"token": fmt.Sprint("token_id:", token), "bytes": bytes(token)}
		}),
		"older words": func(p place) map[string]any { return p.older(v.Piece) },
		"older words with ids": func(p place) map[string]any {
			return p.older(func(token int32) string { return fmt.Sprint("token_id:", token) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := protocol(t, func(w http.ResponseWriter, r *http.Request) { say(w, v, all, tell) })
			m := at(t, Options{Vocabulary: v}, s)
			if _, err := m.Plan(t.Context(), backends.Workload{Logprobs: backends.TopLogprobs}); err != nil {
				t.Fatal(err)
			}
			c := one(t, m, backends.Request{ID: "1", Prompt: "Question", MaxTokens: 50, Logprobs: backends.TopLogprobs})
			if len(c.Predictions) != len(all) {
				t.Fatalf("%d predictions of %d tokens", len(c.Predictions), len(all))
			}
			for i, p := range c.Predictions {
				if p.Token != all[i].token || p.Logprob != logprobOf(0) || !math.IsNaN(p.Entropy) ||
					math.Abs(p.Rest-logprobOf(backends.TopLogprobs-1)) > 1e-6 {
					t.Errorf("%d: %+v", i, p)
				}
				for j, likely := range p.Top {
					if likely.Token != all[i].top[j] || likely.Logprob != logprobOf(j) {
						t.Errorf("%d, the likeliest but %d: %+v, want %d", i, j, likely, all[i].top[j])
					}
				}
			}
		})
	}
}

func TestOfAnswersThatAreNotToldWholeNoLogprobsAreKept(t *testing.T) {
	v := vocabularyOf(t, control)
	all := places(t, v, "The answer is (B).")
	tell := func(p place) map[string]any { return p.older(v.Piece) }
	var lost atomic.Bool
	s := protocol(t, func(w http.ResponseWriter, r *http.Request) {
		say(w, v, all, func(p place) map[string]any {
			if lost.Load() && p.token == all[2].token {
				return nil
			}
			return tell(p)
		})
	})
	m := at(t, Options{Vocabulary: v}, s)
	r := backends.Request{ID: "1", Prompt: "Question", MaxTokens: 50, Logprobs: backends.TopLogprobs}
	if c := one(t, m, r); len(c.Predictions) != 0 {
		t.Errorf("%d predictions of a server that was not tried", len(c.Predictions))
	}
	if _, err := m.Plan(t.Context(), backends.Workload{Logprobs: backends.TopLogprobs}); err != nil {
		t.Fatal(err)
	}
	if c := one(t, m, r); len(c.Predictions) != len(all) {
		t.Errorf("%d predictions of %d tokens", len(c.Predictions), len(all))
	}
	lost.Store(true)
	if c := one(t, m, r); len(c.Predictions) != 0 || c.Text != "The answer is (B)." || c.Finish != backends.FinishStop {
		t.Errorf("%+v", c)
	}
	r.Logprobs = 0
	if c := one(t, m, r); len(c.Predictions) != 0 {
		t.Errorf("nobody asked for %d predictions", len(c.Predictions))
	}
}

func TestWhereLogprobsCannotBeKeptIsSaidBeforeTheFirstQuestion(t *testing.T) {
	v := vocabularyOf(t, control)
	all := places(t, v, "The answer is (B).")
	for _, c := range []struct {
		want       string
		vocabulary backends.Tokenizer
		tell       func(place) map[string]any
	}{
		{"give vocabulary FILE.gguf", nil, func(p place) map[string]any { return p.older(v.Piece) }},
		{"the server omitted them: leave the flag out", v, func(place) map[string]any { return nil }},
		{"it gives the 5 likeliest tokens, and 20 are kept", v, func(p place) map[string]any {
			p.top = p.top[:5]
			return p.older(v.Piece)
		}},
		{"is not in vocabulary: give", v, func(p place) map[string]any {
			return p.older(func(token int32) string { return v.Piece(token) + "\x00 zz" })
		}},
		{"give that of the server's model", v, func(p place) map[string]any {
			return map[string]any{"content": []any{p.told(func(token int32) map[string]any {
				return map[string]any{"id": token + 1, "token": v.Piece(token)}
			})}}
		}},
	} {
		s := protocol(t, func(w http.ResponseWriter, r *http.Request) {
			if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), `"logprobs":20`) {
				say(w, v, all, c.tell)
				return
			}
			yes(w)
		})
		m := at(t, Options{Vocabulary: c.vocabulary}, s)
		_, err := m.Plan(t.Context(), backends.Workload{Logprobs: backends.TopLogprobs})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, c.want)
		}
		if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
			t.Errorf("a run that keeps none: %v", err)
		}
	}
}

// TestProbabilitiesThatDependOnHowManyAreRequestedAreRefused has a server divide by too much, as ik_llama.cpp's does.
func TestProbabilitiesThatDependOnHowManyAreRequestedAreRefused(t *testing.T) {
	v := vocabularyOf(t, control)
	all := places(t, v, "The answer is (B).")
	const least = 2.0 // all other tokens have half of what there is
	p := func(i int) float64 { return math.Exp(logprobOf(i)) / least }
	for name, c := range map[string]struct {
		divisor func(n int, mass float64) float64
		fails   bool
	}{
		"nothing":         {func(int, float64) float64 { return 1 }, false},
		"the rest twice":  {func(_ int, mass float64) float64 { return 2 - mass }, true},
		"how many it has": {func(n int, _ float64) float64 { return float64(n) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := protocol(t, func(w http.ResponseWriter, r *http.Request) {
				var body struct {
					Logprobs int `json:"logprobs"`
				}
				json.NewDecoder(r.Body).Decode(&body)
				say(w, v, all, func(at place) map[string]any {
					mass := 0.0
					for i := range body.Logprobs {
						mass += p(i)
					}
					top := map[string]float64{}
					for i, token := range at.top[:body.Logprobs] {
						top[v.Piece(token)] = math.Log(p(i) / c.divisor(body.Logprobs, mass))
					}
					own := v.Piece(at.token)
					return map[string]any{"tokens": []string{own}, "token_logprobs": []float64{top[own]}, "top_logprobs": []any{top}}
				})
			})
			m := at(t, Options{Vocabulary: v}, s)
			_, err := m.Plan(t.Context(), backends.Workload{Logprobs: backends.TopLogprobs})
			if c.fails != (err != nil) || err != nil && !strings.Contains(err.Error(), "depend on how many are requested") {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			got := one(t, m, backends.Request{ID: "1", Prompt: "Question", MaxTokens: 50, Logprobs: backends.TopLogprobs})
			for _, prediction := range got.Predictions {
				for i, likely := range prediction.Top {
					if math.Abs(likely.Logprob-math.Log(p(i))) > 1e-9 {
						t.Errorf("the likeliest but %d: %f, want %f", i, likely.Logprob, math.Log(p(i)))
					}
				}
			}
			if len(got.Predictions) != len(all) {
				t.Errorf("%d predictions", len(got.Predictions))
			}
		})
	}
}

// sameAsInProcess holds what a server tells of the tokens of a few texts against what the engine here says of them.
func sameAsInProcess(t *testing.T, m *Model, requests []backends.Request) {
	t.Helper()
	engine, err := llamacpp.Open(t.Context(), llamacpp.Options{Path: control, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if _, err := m.Plan(t.Context(), backends.Workload{Logprobs: backends.TopLogprobs}); err != nil {
		t.Fatal(err)
	}
	if m.VocabularySHA256() != engine.VocabularySHA256() {
		t.Error("another vocabulary")
	}
	all := map[string]backends.Completion{}
	ask := func(model backends.Model, requests []backends.Request, done func(backends.Completion) error) {
		t.Helper()
		if err := model.Generate(t.Context(), slices.Values(requests), done); err != nil {
			t.Fatal(err)
		}
	}
	theirs := slices.Clone(requests)
	for i := range theirs {
		theirs[i] = m.short(theirs[i]).Request
	}
	ask(m, theirs, func(c backends.Completion) error { all[c.ID] = c; return nil })
	tokens, worst := 0, 0.0
	ask(engine, requests, func(c backends.Completion) error {
		theirs := all[c.ID]
		if len(theirs.Predictions) == 0 {
			t.Errorf("%s has no predictions: %+v", c.ID, theirs)
		}
		for i, p := range theirs.Predictions {
			ours := c.Predictions[i]
			if p.Token != ours.Token {
				break // what follows knows another text
			}
			tokens++
			worst = max(worst, math.Abs(p.Logprob-ours.Logprob))
			for j, likely := range p.Top[:5] {
				worst = max(worst, math.Abs(likely.Logprob-ours.Top[j].Logprob))
			}
		}
		return nil
	})
	t.Logf("%d tokens, at most %.4f nat from the engine's own", tokens, worst)
	if tokens < 20 || worst > 0.1 {
		t.Errorf("%d tokens, up to %.4f nat from the engine's own", tokens, worst)
	}
}

// keeping has requests tell their tokens' log-probabilities.
func keeping(requests []backends.Request) []backends.Request {
	for i := range requests {
		requests[i].Logprobs = backends.TopLogprobs
	}
	return requests
}

func TestOllamaTellsTheTokensOfConversationsAlone(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Options{})
	if err := s.Create(t.Context(), "control", control, "{{ .Prompt }}"); err != nil {
		t.Fatal(err)
	}
	m := openControl(t, Options{Concurrency: 1, Vocabulary: vocabularyOf(t, control)}, s.Host())
	_, err := m.Plan(t.Context(), backends.Workload{Logprobs: backends.TopLogprobs})
	errortest.Says(t, err, "take prompt chat, for which Ollama gives them")
	m.conversed = true
	sameAsInProcess(t, m, keeping(items(8)))
}
