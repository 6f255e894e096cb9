package scripted_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/scripted"
)

func TestContract(t *testing.T) {
	for name, model := range map[string]*scripted.Model{
		"one slot":   {},
		"five slots": {Slots: 5, Context: 1024},
		"slowly":     {Slots: 2, Context: 512, Delay: 10 * time.Microsecond},
		"in many scripts": {Slots: 3, Answer: func(backends.Request) string {
			return "Ünïcode 漢字 und 😀 πράγματα, the answer is (C).\n\nQuestion: …"
		}},
	} {
		t.Run(name, func(t *testing.T) { backendtest.Run(t, model) })
	}
}

func ask(t *testing.T, m *scripted.Model, requests ...backends.Request) ([]backends.Completion, error) {
	t.Helper()
	var all []backends.Completion
	err := m.Generate(context.Background(), slices.Values(requests), func(c backends.Completion) error {
		all = append(all, c)
		return nil
	})
	return all, err
}

func TestErrorsAreTheRequestsOwn(t *testing.T) {
	m := &scripted.Model{Slots: 2, Fail: func(r backends.Request) *scripted.Error {
		if r.ID == "bad" {
			return &scripted.Error{Cause: backends.CauseMemory, Text: "no memory"}
		}
		return nil
	}}
	all, err := ask(t, m, backends.Request{ID: "a", MaxTokens: 99}, backends.Request{ID: "bad", MaxTokens: 99}, backends.Request{ID: "b",
		MaxTokens: 99})
	assert.Assert(t, err == nil && len(all) == 3, "%d completions, error %v", len(all), err)
	for _, c := range all {
		failed := c.Finish == backends.FinishError
		assert.Check(t, failed == (c.ID == "bad"), "%s: %+v", c.ID, c)
		if c.ID == "bad" && (c.Cause != backends.CauseMemory || c.Error != "no memory") {
			t.Errorf("%+v", c)
		}
	}
}

func TestABrokenBackendEndsGenerate(t *testing.T) {
	m := &scripted.Model{Fail: func(backends.Request) *scripted.Error {
		return &scripted.Error{Text: "the line is cut", Break: true}
	}}
	all, err := ask(t, m, backends.Request{ID: "a", MaxTokens: 9})
	assert.Check(t, err != nil && len(all) == 0, "%d completions, error %v", len(all), err)
}

func TestAClosedModelAnswersNoMore(t *testing.T) {
	m := &scripted.Model{}
	m.Close()
	_, err := ask(t, m, backends.Request{ID: "a", MaxTokens: 9})
	assert.Check(t, err == backends.ErrClosed, "error %v", err)
}

func TestTheSharedBeginningOfPromptsIsReused(t *testing.T) {
	shots := strings.Repeat("shot ", 30)
	all, err := ask(t, &scripted.Model{}, backends.Request{ID: "a", Prompt: shots + "one", MaxTokens: 9}, backends.Request{ID: "b",
		Prompt: shots + "two", MaxTokens: 9})
	assert.NilError(t, err)
	if got := all[1].Usage; got.ReusedTokens != 51 || got.PromptTokens != 52 {
		t.Errorf("usage %+v", got) // 1 + 153/3 tokens, all but the last shared
	}
}

func BenchmarkItems(b *testing.B) {
	m := &scripted.Model{Slots: 16}
	requests := func(yield func(backends.Request) bool) {
		for range b.N {
			if !yield(backends.Request{ID: "x", Prompt: "Question", MaxTokens: 2048, Stop: []string{"Question:"}}) {
				return
			}
		}
	}
	assert.NilError(b, m.Generate(context.Background(), requests, func(backends.Completion) error { return nil }))
}
