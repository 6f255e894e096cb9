package openai

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/ollama/ollamatest"
)

// openControl opens the control model at servers.
func openControl(t *testing.T, o Options, hosts ...string) *Model {
	t.Helper()
	o.Name, o.Servers = cmp.Or(o.Name, "control"), hosts
	o.Silence = cmp.Or(o.Silence, time.Minute)
	m, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// items are n requests that share a beginning.
func items(n int) (all []backends.Request) {
	for i := range n {
		all = append(all, backends.Request{
			ID: fmt.Sprintf("item/%d", i), MaxTokens: 12, Stop: []string{"Question:"},
			Prompt: fmt.Sprintf("Answer the following questions.\n\nQuestion:\nWhich of these is number %d?\nAnswer: Let's think.", i),
		})
	}
	return all
}

// askAnd asks, and calls then once the first n completions are there. It demands one completion with a text of each.
func askAnd(t *testing.T, m *Model, requests []backends.Request, n int, then func()) map[string]backends.Completion {
	t.Helper()
	all := map[string]backends.Completion{}
	err := m.Generate(t.Context(), slices.Values(requests), func(c backends.Completion) error {
		if _, twice := all[c.ID]; twice {
			t.Errorf("%s was done twice", c.ID)
		}
		if c.Finish == backends.FinishError || c.Finish == "" {
			t.Errorf("%s: finish %q, cause %q, error %q", c.ID, c.Finish, c.Cause, c.Error)
		}
		all[c.ID] = c
		if len(all) == n {
			then()
		}
		return nil
	})
	if err != nil || len(all) != len(requests) {
		t.Fatalf("%d completions of %d requests, %v", len(all), len(requests), err)
	}
	return all
}

// TestOllamasOwnCutIsFound has a server cut a prompt, which it does with status 200.
func TestOllamasOwnCutIsFound(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Options{Env: []string{"OLLAMA_CONTEXT_LENGTH=512"}})
	if err := s.Create(t.Context(), "control", control, ""); err != nil {
		t.Fatal(err)
	}
	m := openControl(t, Options{Concurrency: 1}, s.Host())
	a, err := m.Plan(t.Context(), backends.Workload{})
	if err != nil || a.Context != 512 {
		t.Errorf("the server holds %d tokens, it was given 512: %v", a.Context, err)
	}
	var c backends.Completion
	long := backends.Request{ID: "long", Prompt: strings.Repeat("Which of these is true? ", 300), MaxTokens: 8}
	err = m.Generate(t.Context(), slices.Values([]backends.Request{long}), func(got backends.Completion) error { c = got; return nil })
	if err == nil {
		t.Error("a run whose prompts are cut goes on")
	}
	if c.Finish != backends.FinishError || c.Cause != backends.CauseTruncated || !strings.Contains(c.Error, "512") {
		t.Errorf("%+v", c)
	}
	info, err := m.Info(t.Context())
	if err != nil || !strings.Contains(strings.Join(info.Notes, " "), "a repeat penalty of 1.1") {
		t.Errorf("%q, %v", info.Notes, err)
	}
}

// TestLlamaServer runs the contract on a real llama-server, of at least two slots and the control model, where one is named.
func TestLlamaServer(t *testing.T) {
	base := os.Getenv("PROCTOR_LLAMA_SERVER")
	if base == "" {
		t.Skip("PROCTOR_LLAMA_SERVER names no llama-server, as in http://127.0.0.1:8080")
	}
	m, err := Open(t.Context(), Options{Base: base, Key: os.Getenv("PROCTOR_LLAMA_SERVER_KEY")})
	if err != nil {
		t.Fatal(err)
	}
	backendtest.Run(t, m)
}
