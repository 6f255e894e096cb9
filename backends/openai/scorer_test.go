package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/scripts/tests/errortest"
)

// spelling are the tokens of a small vocabulary: "é" is two of them, and one begins no text.
var spelling = []string{"", "A", "B", " A", "\xc3", "\xa9", "?", "Z"}

// likely are the logarithms of made-up probabilities behind tokens; they are the less, the longer the text.
func likely(before []int32) []float64 {
	all, mass := make([]float64, len(spelling)), 0.0
	for i := range all {
		all[i] = -float64((i*5+len(before)*3)%len(all)) * 1.5
		mass += math.Exp(all[i])
	}
	for i := range all {
		all[i] -= math.Log(mass)
	}
	return all
}

// A reader is a fake llama-server that reads given tokens as the real one does: the bias decides what is written, its log-probability is
// that from before, and nothing is told of a token that ends inside a character.
type reader struct {
	requests int
	spoil    func(body map[string]any, tokens []map[string]any) // of what is told; nil for nothing
	status   int                                                // of every fifth answer, where it is not 0
}

func (f *reader) fake() *fake {
	fake := newFake(f.complete)
	fake.said["/props"] = `{"total_slots":2,"default_generation_settings":{"n_ctx":64}}`
	fake.replies = map[string]func(map[string]any) any{"/tokenize": func(body map[string]any) any {
		tokens := []int32{7}
		for _, b := range []byte(body["content"].(string)) {
			if i := slices.Index(spelling, string([]byte{b})); i > 0 {
				tokens = append(tokens, int32(i))
			}
		}
		return map[string]any{"tokens": tokens}
	}}
	return fake
}

func (f *reader) complete(w http.ResponseWriter, body map[string]any) {
	prompt, raw := body["prompt"].([]any)
	if !raw { // of the plan
		yes(w, body)
		return
	}
	if f.requests++; f.status != 0 && f.requests%5 == 0 {
		refuse(w, f.status, "again")
		return
	}
	var before []int32
	for _, token := range prompt {
		before = append(before, int32(token.(float64)))
	}
	all := likely(before)
	entry := func(token int) map[string]any {
		bytes := []int{}
		for _, b := range []byte(spelling[token]) {
			bytes = append(bytes, int(b))
		}
		return map[string]any{"id": token, "bytes": bytes, "logprob": all[token]}
	}
	written := int(body["logit_bias"].([]any)[0].([]any)[0].(float64))
	first := entry(written)
	order := []int{0, 1, 2, 3, 4, 5, 6, 7}
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, all[b]-all[a])) })
	top := []map[string]any{}
	for _, token := range order[:min(len(order), int(body["logprobs"].(float64)))] {
		top = append(top, entry(token))
	}
	first["top_logprobs"] = top
	content := []map[string]any{first}
	if spelling[written] == "\xc3" {
		content = nil
	}
	if f.spoil != nil {
		f.spoil(body, content)
	}
	json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"index": 0, "text": "x", "finish_reason": "length", "logprobs": map[string]any{"content": content}}},
		"usage":   map[string]any{"prompt_tokens": len(before), "completion_tokens": 1},
	})
}

// scoring is the model of a reader, made to read.
func scoring(t *testing.T, f *reader) *Scorer {
	t.Helper()
	m, err := at(t, Options{}, f.fake()).Scoring(t.Context())
	assert.NilError(t, err)
	return m.(*Scorer)
}

var forced = backends.Request{ID: "1", Prompt: "B?", Logprobs: 2, Forced: &backends.Forced{
	Tokens: []int32{1, 4, 5, 3}, Ask: [][]int32{{2, 0}, nil, {4}, {3, 7}}, Replaces: 1,
}}

func TestEachTokenIsScoredBehindAllBefore(t *testing.T) {
	for name, status := range map[string]int{"at once": 0, "after refusals": http.StatusInternalServerError} {
		f := &reader{}
		m := scoring(t, f)
		f.status = status
		_, err := m.Plan(t.Context(), backends.Workload{Forced: true})
		assert.NilError(t, err)
		var c backends.Completion
		assert.NilError(t, m.Generate(t.Context(), slices.Values([]backends.Request{forced}), func(done backends.Completion) error {
			c = done
			return nil
		}))
		checkEnd(t, c, backends.FinishStop, "", "")
		before := []int32{7, 2}
		for i, token := range forced.Forced.Tokens {
			want, p := likely(before), c.Predictions[i]
			assert.Check(t, p.Token == token && math.Abs(p.Logprob-want[token]) < 1e-9 && math.IsNaN(p.Entropy), "%s, %d: %+v", name, i, p)
			assert.Check(t, len(p.Top) == 2 && math.Abs(p.Top[0].Logprob-slices.Max(want)) < 1e-9 && p.Slack > 0, "%s, %d: %+v", name, i, p)
			for j, other := range forced.Forced.Ask[i] {
				assert.Check(t, math.Abs(p.AskLogprobs[j]-want[other]) < 1e-9, "%s, %d: %v, want %g", name, i, p.AskLogprobs, want[other])
			}
			before = append(before, token)
		}
		assert.Check(t, len(c.Predictions) == 4 && c.Usage.PromptTokens == 2 && c.Usage.OutputTokens == 4, "%s: %+v", name, c.Usage)
	}
}

// Where there is one place, all tokens are told, so that one request is enough and their probabilities add up to 1.
func TestLettersTakeOneRequest(t *testing.T) {
	f := &reader{}
	m := scoring(t, f)
	f.requests = 0
	f.spoil = func(body map[string]any, tokens []map[string]any) {
		assert.Check(t, body["logprobs"] == float64(len(spelling)), "%v are told", body["logprobs"])
		for _, one := range tokens[0]["top_logprobs"].([]map[string]any) {
			one["logprob"] = one["logprob"].(float64) + 0.01
		}
	}
	letters := backends.Request{ID: "1", Prompt: "B?", Logprobs: 1, Forced: &backends.Forced{Tokens: []int32{1}, Ask: [][]int32{{1, 2, 4}}}}
	assert.NilError(t, m.Generate(t.Context(), slices.Values([]backends.Request{letters}), func(c backends.Completion) error {
		checkEnd(t, c, backends.FinishStop, "", "")
		want := likely([]int32{7, 2, 6})
		for i, token := range letters.Forced.Ask[0] {
			assert.Check(t, math.Abs(c.Predictions[0].AskLogprobs[i]-want[token]) < 1e-9, "%v, want %v", c.Predictions[0].AskLogprobs, want)
		}
		return nil
	}))
	assert.Equal(t, f.requests, 1)
}

func TestTokensAreWhatTheServerSpells(t *testing.T) {
	m := scoring(t, &reader{})
	token, found := m.TokenOf(" A")
	assert.Check(t, token == 3 && found && m.Piece(4) == "\xc3" && m.Piece(99) == "" && m.VocabularySHA256() == "", "%d %v", token, found)
	_, found = m.TokenOf("C")
	assert.Check(t, !found)
}

// What a server can't tell is said in a line, before anything is asked of it.
func TestAServerWithoutLogprobsIsRefused(t *testing.T) {
	first := func(tokens []map[string]any) map[string]any { return tokens[0] }
	for name, test := range map[string]struct {
		spoil func(body map[string]any, tokens []map[string]any)
		kind  string
		says  string
	}{
		"another kind":     {nil, `{"data":[{"id":"m","owned_by":"vllm"}]}`, "it is vLLM"},
		"no probabilities": {func(_ map[string]any, tokens []map[string]any) { delete(first(tokens), "logprob") }, "", "no log-probability of token"},
		"the bias is left out": {func(_ map[string]any, tokens []map[string]any) { first(tokens)["id"] = 5 }, "",
			"no log-probability of token"},
		"those behind the bias": {func(body map[string]any, tokens []map[string]any) {
			if body["logprobs"] == 1.0 {
				first(tokens)["logprob"] = 0.0
			}
		}, "", "a forced token has log-probability 0.00"},
		"counted twice": {func(_ map[string]any, tokens []map[string]any) {
			for _, one := range first(tokens)["top_logprobs"].([]map[string]any) {
				one["logprob"] = one["logprob"].(float64) - math.Ln2
			}
		}, "", "add up to 0.500"},
		"a few of them": {func(_ map[string]any, tokens []map[string]any) {
			first(tokens)["top_logprobs"] = first(tokens)["top_logprobs"].([]map[string]any)[:3]
		}, "", "3 tokens with ids up to"},
	} {
		f := (&reader{spoil: test.spoil}).fake()
		if test.kind != "" {
			f.said["/v1/models"] = test.kind
		}
		_, err := at(t, Options{}, f).Scoring(t.Context())
		errortest.For(t, name, err, "it does not return log-probabilities of given tokens", test.says, "give the model's GGUF file")
	}
}

func TestWhatNoServerCanReadIsRefused(t *testing.T) {
	m := scoring(t, &reader{})
	for want, f := range map[string]backends.Forced{
		"token 8 is none of the vocabulary's 8": {Tokens: []int32{8}},
		"token -1 is none":                      {Tokens: []int32{1}, Ask: [][]int32{{-1}}},
		"needs a token, and one before it":      {Tokens: []int32{1}, Replaces: 3},
	} {
		assert.NilError(t, m.Generate(t.Context(), slices.Values([]backends.Request{{ID: "1", Prompt: "B?", Forced: &f}}),
			func(c backends.Completion) error {
				checkEnd(t, c, backends.FinishError, backends.CauseEngine, want)
				return nil
			}))
	}
	assert.Check(t, fmt.Sprint(m.broken(4), m.broken(5), m.broken(0), m.broken(1)) == "true false false false")
}
