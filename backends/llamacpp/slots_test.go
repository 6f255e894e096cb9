package llamacpp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/schedule"
	"proctor/scripts/tests/errortest"
)

func TestManySlotsMixNothingUp(t *testing.T) {
	m := open(t, Options{Slots: 5, Context: 1024, Batch: 128})
	requests := fewShot(3, 7, 60, 24)
	for i := range requests {
		requests[i].MaxTokens = 3 + i*5%17
	}
	got := generate(t, m, requests...)
	alone := open(t, Options{Slots: 1, Context: 1024, Batch: 128})
	want := generate(t, alone, requests...)
	same := 0
	for i := range requests {
		// Batches of other sizes go through other kernels, so a text may turn off later on; but never at once.
		if !strings.HasPrefix(got[i].Text, firstLetters(want[i].Text)) {
			t.Errorf("%s: got %q, alone %q", requests[i].ID, got[i].Text, want[i].Text)
		}
		if got[i].Text == want[i].Text {
			same++
		}
		if got[i].Usage.OutputTokens != requests[i].MaxTokens {
			t.Errorf("%s: %d tokens, the cap is %d", requests[i].ID, got[i].Usage.OutputTokens, requests[i].MaxTokens)
		}
	}
	if same < len(requests)*3/4 {
		t.Errorf("only %d of %d texts are those of a single slot", same, len(requests))
	}
	t.Logf("%d of %d texts are those of a single slot", same, len(requests))
}

func firstLetters(s string) string {
	letters := []rune(s)
	return string(letters[:min(3, len(letters))])
}

func TestSharedPrefixesAreDecodedOnce(t *testing.T) {
	for _, slots := range []int{1, 4} {
		t.Run(fmt.Sprint(slots, " slots"), func(t *testing.T) {
			m := open(t, Options{Slots: slots, Context: 1024, Batch: 128})
			requests := fewShot(2, 6, 80, 16)
			tree, total := treeOf(t, m, requests)
			evaluated := 0
			for _, c := range generate(t, m, requests...) {
				evaluated += c.Usage.PromptTokens - c.Usage.ReusedTokens
			}
			// Where prompts part, the last common token may be decoded again, and copies of a few tokens don't pay;
			// a single slot keeps to its grid.
			if slack := len(requests) * schedule.ExactStep; evaluated < tree || evaluated > tree+slack {
				t.Errorf("%d of %d prompt tokens were decoded, the tree of prefixes has %d", evaluated, total, tree)
			}
			t.Logf("%d of %d prompt tokens were decoded, the tree of prefixes has %d", evaluated, total, tree)
		})
	}
}

// treeOf counts the tokens of the requests' tree of prefixes, whose nodes are every distinct beginning, and those of all prompts.
func treeOf(t *testing.T, m *Model, requests []backends.Request) (tree, total int) {
	t.Helper()
	nodes := map[string]bool{}
	for _, r := range requests {
		tokens, err := m.Tokenize(r.Prompt)
		if err != nil {
			t.Fatal(err)
		}
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
		if got := draw(s); got != greedy {
			t.Errorf("%s: got %q, greedily %q", name, got, greedy)
		}
	}
	texts := map[string]bool{}
	for seed := range uint32(5) {
		texts[draw(backends.Sampling{Temperature: 1.5, Seed: seed})] = true
	}
	if len(texts) < 4 {
		t.Errorf("5 seeds give %d different texts", len(texts))
	}
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
	path, err := writeTiny("ending.gguf", func(m *llamatest.Model) { m.EndAfter = tokens[at] })
	if err != nil {
		t.Fatal(err)
	}
	c := generate(t, open(t, Options{Path: path, Slots: 1, Context: 512}), r)[0]
	if c.Finish != backends.FinishStop || c.Cause != "" || c.Usage.OutputTokens != at {
		t.Errorf("finish %q, cause %q, %d tokens; want a stop after %d", c.Finish, c.Cause, c.Usage.OutputTokens, at)
	}
	if !strings.HasPrefix(whole.Text, strings.TrimRight(c.Text, "\uFFFD")) {
		t.Errorf("got %q, which does not begin %q", c.Text, whole.Text)
	}
}

// greedyTokens returns the tokens of a text, drawn one by one.
func greedyTokens(t *testing.T, m *Model, r backends.Request) []int32 {
	t.Helper()
	prompt, err := m.Tokenize(r.Prompt)
	if err != nil {
		t.Fatal(err)
	}
	var drawn []int32
	m.engine.Clear()
	tokens := prompt
	for at := 0; len(drawn) < r.MaxTokens; {
		var batch engine.Batch
		for i, token := range tokens {
			batch = append(batch, engine.Token{ID: token, Position: int32(at + i), Draw: i == len(tokens)-1})
		}
		next, err := m.engine.Decode(batch)
		if err != nil {
			t.Fatal(err)
		}
		at += len(tokens)
		tokens = []int32{next[len(tokens)-1]}
		drawn = append(drawn, tokens[0])
	}
	return drawn
}

func TestAFailingBatchFailsOnlyTheItemThatFails(t *testing.T) {
	for _, test := range []struct {
		name  string
		err   error
		cause backends.Cause
	}{
		{"no memory", &engine.DecodeError{Cause: backends.CauseMemory, Reason: "no memory"}, backends.CauseMemory},
		{"a bad tensor", &engine.DecodeError{Cause: backends.CauseEngine, Reason: "a bad tensor"}, backends.CauseEngine},
		{"no room", &engine.DecodeError{Cause: backends.CauseMemory, Reason: "the cache has no room"}, backends.CauseMemory},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := open(t, Options{Slots: 3, Context: 512, Batch: 64})
			requests := fewShot(1, 7, 30, 12)
			requests[3].Prompt += "%"
			poison, err := m.Tokenize("%")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Plan(context.Background(), backends.Workload{}); err != nil {
				t.Fatal(err)
			}
			failed := map[string]backends.Completion{}
			calls := 0
			failing := poisoned{m.engine, poison[len(poison)-1], test.err}
			done := func(c backends.Completion) error {
				calls++
				if c.Finish == backends.FinishError {
					failed[c.ID] = c
				}
				return nil
			}
			if err := schedule.Generate(t.Context(), failing, m.weights, m.traits(), slices.Values(requests), done); err != nil {
				t.Fatal(err)
			}
			if calls != len(requests) {
				t.Errorf("%d completions of %d requests", calls, len(requests))
			}
			if c := failed[requests[3].ID]; len(failed) != 1 || c.Cause != test.cause || c.Error == "" {
				t.Errorf("failed: %+v", failed)
			}
		})
	}
}

// poisoned is an engine that fails at a token.
type poisoned struct {
	schedule.Engine
	token int32
	err   error
}

func (p poisoned) Decode(b engine.Batch) ([]int32, error) {
	drawn, err := p.Engine.Decode(b) // what it did stays in the cache, as when a late part of a batch fails
	if slices.ContainsFunc(b, func(t engine.Token) bool { return t.ID == p.token }) {
		return nil, p.err
	}
	return drawn, err
}

func TestScoresThatAreNoNumbersAreAnError(t *testing.T) {
	path, err := writeTiny("overflow.gguf", func(m *llamatest.Model) { m.Shape.Layers, m.OutputGain = 1, math.Inf(1) })
	if err != nil {
		t.Fatal(err)
	}
	c := generate(t, open(t, Options{Path: path, Slots: 1, Context: 256}), backends.Request{ID: "x", Prompt: "Question", MaxTokens: 4})[0]
	if c.Finish != backends.FinishError || c.Cause != backends.CauseEngine || !strings.Contains(c.Error, "not numbers") {
		t.Errorf("%+v", c)
	}
}

func TestABatchHoldsATokenOfEverySlot(t *testing.T) {
	m := open(t, Options{Slots: 16, Batch: 8, Context: 256})
	requests := fewShot(2, 10, 20, 8)
	for i, c := range generate(t, m, requests...) {
		if c.Finish == backends.FinishError || c.Usage.OutputTokens != requests[i].MaxTokens {
			t.Errorf("%+v", c)
		}
	}
	if e := m.settings.EngineInfo; e.Batch != 16 || e.Microbatch != 8 {
		t.Errorf("batches of %d, microbatches of %d", e.Batch, e.Microbatch)
	}
	errortest.For(t, "a batch that is too large", m.engine.Evaluate(make(engine.Batch, 17)), "more than the 16")
}

// A batch of a large model takes hours where cores are few: its operations say that it gets on.
func TestABatchTellsItsOperations(t *testing.T) {
	m := open(t, Options{Slots: 1, Context: 512})
	if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
		t.Fatal(err)
	}
	operations, batches := llama.Operations(), llama.Batches()
	if _, err := m.engine.Decode(engine.Batch{{ID: 5, Draw: true}}); err != nil {
		t.Fatal(err)
	}
	if more := llama.Operations() - operations; more < 20 || llama.Batches() != batches+1 {
		t.Errorf("%d operations in %d batches", more, llama.Batches()-batches)
	}
}
