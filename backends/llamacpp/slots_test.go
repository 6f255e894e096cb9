package llamacpp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
)

func firstLetters(s string) string {
	letters := []rune(s)
	return string(letters[:min(3, len(letters))])
}

// treeOf counts the tokens of the requests' tree of prefixes, whose nodes are every distinct beginning, and those of all prompts.
func treeOf(t *testing.T, m *Model, requests []backends.Request) (tree, total int) {
	t.Helper()
	nodes := map[string]bool{}
	for _, r := range requests {
		tokens, err := m.Tokenize(r.Prompt)
		assert.NilError(t, err)
		for i := range tokens {
			nodes[fmt.Sprint(tokens[:i+1])] = true
		}
		total += len(tokens)
	}
	return len(nodes), total
}

func TestSamplingFollowsTheSeed(t *testing.T) {
	m := open(t, Options{Slots: 1, Context: 512})
	draw := func(s backends.Sampling) string {
		return generate(t, m, backends.Request{ID: "x", Prompt: "Question", MaxTokens: 16, Sampling: s})[0].Text
	}
	greedy := draw(backends.Sampling{})
	for name, s := range map[string]backends.Sampling{
		"a temperature near zero":  {Temperature: 1e-4, Seed: 1},
		"only the likeliest token": {Temperature: 5, TopK: 1, Seed: 2},
		"a tiny mass":              {Temperature: 1, TopP: 1e-6, Seed: 3},
		"nothing but the best":     {Temperature: 1, MinP: 1, Seed: 4},
	} {
		assert.Check(t, is.Equal(draw(s), greedy), "%s", name)
	}
	texts := map[string]bool{}
	for seed := range uint32(5) {
		texts[draw(backends.Sampling{Temperature: 1.5, Seed: seed})] = true
	}
	assert.Check(t, len(texts) >= 4, "5 seeds give %d different texts", len(texts))
}

func TestAnEndTokenEndsTheText(t *testing.T) {
	free := open(t, Options{Slots: 1, Context: 512})
	r := backends.Request{ID: "x", Prompt: "Question", MaxTokens: 20}
	whole := generate(t, free, r)[0]
	// The token that the free model draws after some others becomes the end.
	tokens := greedyTokens(t, free, r)
	at := 6
	for slices.Contains(tokens[:at], tokens[at]) {
		at++
	}
	path := written(t, "ending.gguf", func(m *llamatest.Model) { m.EndAfter = tokens[at] })
	goesOn := r
	goesOn.ID, goesOn.IgnoreEOS = "goes on", true
	both := generate(t, open(t, Options{Path: path, Slots: 2, Context: 512}), r, goesOn)
	c := both[0]
	assert.Check(t, c.Finish == backends.FinishStop && c.Cause == "" && c.Usage.OutputTokens == at,
		"finish %q, cause %q, %d tokens; want a stop after %d", c.Finish, c.Cause, c.Usage.OutputTokens, at)
	assert.Check(t, strings.HasPrefix(whole.Text, strings.TrimRight(c.Text, "\uFFFD")),
		"got %q, which does not begin %q", c.Text, whole.Text)
	past := both[1]
	assert.Check(t, past.Finish == backends.FinishLength && past.Usage.OutputTokens == r.MaxTokens, "told to go on: %+v", past)
}

// greedyTokens returns the tokens of a text, drawn one by one.
func greedyTokens(t *testing.T, m *Model, r backends.Request) []int32 {
	t.Helper()
	prompt, err := m.Tokenize(r.Prompt)
	assert.NilError(t, err)
	var drawn []int32
	m.engine.Clear()
	tokens := prompt
	for at := 0; len(drawn) < r.MaxTokens; {
		var batch engine.Batch
		for i, token := range tokens {
			batch = append(batch, engine.Token{ID: token, Position: int32(at + i), Draw: i == len(tokens)-1})
		}
		next, err := m.engine.Decode(batch)
		assert.NilError(t, err)
		at += len(tokens)
		tokens = []int32{next[len(tokens)-1]}
		drawn = append(drawn, tokens[0])
	}
	return drawn
}

func TestABatchHoldsATokenOfEverySlot(t *testing.T) {
	m := open(t, Options{Slots: 16, Batch: 8, Context: 256})
	requests := fewShot(2, 10, 20, 8)
	for i, c := range generate(t, m, requests...) {
		assert.Check(t, c.Finish != backends.FinishError && c.Usage.OutputTokens == requests[i].MaxTokens, "%+v", c)
	}
	e := m.settings.EngineInfo
	assert.Check(t, e.Batch == 16 && e.Microbatch == 8, "batches of %d, microbatches of %d", e.Batch, e.Microbatch)
	errortest.For(t, "a batch that is too large", m.engine.Evaluate(make(engine.Batch, 17)), "more than the 16")
}

// A batch of a large model takes hours where cores are few: its operations say that it gets on.
func TestABatchTellsItsOperations(t *testing.T) {
	m, _, _ := planned(t, Options{Slots: 1, Context: 512})
	operations, batches := llama.Operations(), llama.Batches()
	if _, err := m.engine.Decode(engine.Batch{{ID: 5, Draw: true}}); err != nil {
		t.Fatal(err)
	}
	more := llama.Operations() - operations
	assert.Check(t, more >= 20 && llama.Batches() == batches+1, "%d operations in %d batches", more, llama.Batches()-batches)
}
