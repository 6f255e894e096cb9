package openai

import (
	"cmp"
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
	most     int                                                // tokens that it tells; 0: as many as are requested
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
	for _, token := range order[:min(len(order), cmp.Or(f.most, len(order)), int(body["logprobs"].(float64)))] {
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

// Tokens that are not among the likeliest are read with a request each, and what is refused for now is asked again.
func TestLettersAreReadBehindAPrompt(t *testing.T) {
	for name, c := range map[string]struct{ status, told, requests int }{
		"at once": {0, reach, 1}, "after refusals": {http.StatusInternalServerError, reach, 1}, "two are told": {0, 2, 3},
	} {
		f := &reader{}
		m := scoring(t, f)
		_, err := m.Plan(t.Context(), backends.Workload{})
		assert.NilError(t, err)
		f.requests, f.status, f.most = 4*min(1, c.status), c.status, c.told
		letters := backends.Request{ID: "1", Prompt: "B?", Logprobs: 1,
			Forced: &backends.Forced{Tokens: []int32{1}, Ask: [][]int32{{1, 2, 0, 7}}}}
		assert.NilError(t, m.Generate(t.Context(), slices.Values([]backends.Request{letters}),
			func(c backends.Completion) error {
				checkEnd(t, c, backends.FinishStop, "", "")
				want, p := likely([]int32{7, 2, 6}), c.Predictions[0]
				assert.Check(t, p.Token == 1 && math.Abs(p.Logprob-want[1]) < 1e-9 && math.IsNaN(p.Entropy), "%s: %+v", name, p)
				assert.Check(t, len(p.Top) == 1 && math.Abs(p.Top[0].Logprob-slices.Max(want)) < 1e-9, "%s: %+v", name, p)
				for i, token := range letters.Forced.Ask[0] {
					assert.Check(t, math.Abs(p.AskLogprobs[i]-want[token]) < 1e-9, "%s: %v, want %v", name, p.AskLogprobs, want)
				}
				assert.Check(t, c.Usage.PromptTokens == 3, "%s: %+v", name, c.Usage)
				return nil
			}))
		assert.Equal(t, f.requests, c.requests+5*min(1, c.status), name)
	}
}

// A request that is repeated rounds otherwise, by 6 % with four-bit weights: what the first one told holds, and the
// letters' probabilities never add up to more than 1.
func TestLettersOfSeveralRequestsAddUp(t *testing.T) {
	f := &reader{}
	m := scoring(t, f)
	f.requests, f.most = 0, 4
	f.spoil = func(_ map[string]any, tokens []map[string]any) {
		for _, one := range append(tokens[0]["top_logprobs"].([]map[string]any), tokens[0]) {
			one["logprob"] = one["logprob"].(float64) + 0.06*float64(f.requests)
		}
	}
	ask := []int32{0, 1, 2, 3, 5, 6, 7}
	r := backends.Request{ID: "1", Prompt: "B?", Logprobs: 1,
		Forced: &backends.Forced{Tokens: []int32{1}, Ask: [][]int32{ask}}}
	assert.NilError(t, m.Generate(t.Context(), slices.Values([]backends.Request{r}), func(c backends.Completion) error {
		mass, want := 0.0, likely([]int32{7, 2, 6})
		best := slices.Index(want, slices.Max(want))
		for i, token := range ask {
			mass += math.Exp(c.Predictions[0].AskLogprobs[i])
			assert.Check(t, int(token) != best || c.Predictions[0].AskLogprobs[i] <= want[best]+0.06, "%v", c.Predictions)
		}
		assert.Check(t, mass <= 1+1e-9 && mass > 0.9 && f.requests > 1, "%v in %d requests", mass, f.requests)
		return nil
	}))
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
	for _, f := range []backends.Forced{{Tokens: []int32{1, 2}, Ask: make([][]int32, 2)},
		{Tokens: []int32{1}, Ask: [][]int32{{1}}, Replaces: 1}} {
		assert.NilError(t, m.Generate(t.Context(), slices.Values([]backends.Request{{ID: "1", Prompt: "B?", Forced: &f}}),
			func(c backends.Completion) error {
				checkEnd(t, c, backends.FinishError, backends.CauseEngine, "a server reads one token behind a prompt")
				return nil
			}))
	}
	assert.Check(t, fmt.Sprint(broken(m.Piece(4)), broken(m.Piece(5)), broken(m.Piece(0)),
		broken(m.Piece(1))) == "true false false false")
}
