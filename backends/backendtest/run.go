package backendtest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"proctor/backends"
)

// Run checks the contract on a model, and closes it at the end. The model must write ten tokens or more after most prompts.
func Run(t *testing.T, model backends.Model) {
	t.Helper()
	t.Cleanup(func() {
		for range 2 {
			if err := model.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		err := model.Generate(context.Background(), slices.Values(batch(2)), func(backends.Completion) error { return nil })
		if err == nil {
			t.Error("a closed model answers")
		}
	})
	for _, test := range []struct {
		name string
		run  func(*testing.T, backends.Model)
	}{
		{"an empty stream calls nobody", emptyStream},
		{"every request is done exactly once, in the calling goroutine", exactlyOnce},
		{"no more requests are pulled than are in flight", pulledInTime},
		{"a short answer overtakes a long one", overtaking},
		{"an error of done stops everything and comes back as it is", doneFails},
		{"an ended context stops everything", cancelBetween},
		{"a context that ends while a prompt is read stops it there", cancelInPrompt},
		{"a stop string ends the text before it", stopStrings},
		{"the cap counts tokens and cuts no character in half", caps},
		{"the same request gives the same text", repeatable},
		{"a prompt that does not fit is refused, and only that", tooLong},
		{"requests that make no sense are refused, and only they", nonsense},
		{"usage and timing add up", accounts},
		{"info says who answers", describes},
	} {
		if !t.Run(test.name, func(t *testing.T) { test.run(t, model) }) {
			return // what follows would only repeat it
		}
	}
}

const prompt = "Question: which of these is true?\nAnswer: let's think step by step."

// long is a cap that leaves room for a text to be cut up.
const long = 32

// ask runs requests and returns their completions in completion order.
func ask(t *testing.T, model backends.Model, requests ...backends.Request) []backends.Completion {
	t.Helper()
	var all []backends.Completion
	err := model.Generate(context.Background(), slices.Values(requests), func(c backends.Completion) error {
		all = append(all, c)
		return nil
	})
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
	if len(all) != len(requests) {
		t.Fatalf("%d completions of %d requests", len(all), len(requests))
	}
	return all
}

// one runs a single request, which must succeed.
func one(t *testing.T, model backends.Model, r backends.Request) backends.Completion {
	t.Helper()
	c := ask(t, model, r)[0]
	if c.Finish == backends.FinishError {
		t.Fatalf("%q failed: %s", r.Prompt, c.Error)
	}
	return c
}

// batch returns n requests that share a beginning and have caps of different sizes.
func batch(n int) []backends.Request {
	var requests []backends.Request
	for i := range n {
		requests = append(requests, backends.Request{
			ID:        fmt.Sprintf("item/%d", i),
			Prompt:    strings.Repeat("Some shots that all items share. ", 6) + fmt.Sprintf("Item %d. ", i) + prompt,
			MaxTokens: 1 + (i*7)%11,
		})
	}
	return requests
}

func slots(t *testing.T, model backends.Model) int {
	t.Helper()
	return max(info(t, model).Engine.Slots, 1)
}

func info(t *testing.T, model backends.Model) backends.Info {
	t.Helper()
	info, err := model.Info(context.Background())
	if err != nil {
		t.Fatalf("Info: %v", err)
	}
	return info
}

// goroutine returns the line that names the calling goroutine in a stack trace.
func goroutine() string {
	buf := make([]byte, 64)
	name, _, _ := strings.Cut(string(buf[:runtime.Stack(buf, false)]), "[")
	return name
}
