package openai

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/ollama/ollamatest"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
)

// serve starts a real Ollama that holds the control model.
func serve(t *testing.T, parallel int) *ollamatest.Server {
	t.Helper()
	s := ollamatest.New(t, ollamatest.Options{Parallel: parallel})
	if err := s.Create(t.Context(), "control", control, ""); err != nil {
		t.Fatal(err)
	}
	return s
}

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

func TestThroughABreakingProxy(t *testing.T) {
	s := serve(t, 4)
	load := openControl(t, Options{Concurrency: 1}, s.Host()) // which takes longer than the silence that is allowed
	askAnd(t, load, items(1), 0, nil)
	for i, kind := range serverstest.Kinds {
		t.Run(string(kind), func(t *testing.T) {
			p := serverstest.New(t, s.URL(), serverstest.Options{
				Seed: uint64(i), Shares: map[serverstest.Kind]float64{kind: 0.2}, Delay: 3 * time.Second,
			})
			m := openControl(t, Options{Concurrency: 4, Asking: servers.Asking{Silence: 2 * time.Second}}, p.Host())
			requests := items(30)
			tries := 0
			for c := range maps.Values(askAnd(t, m, requests, 0, nil)) {
				tries += c.Tries
			}
			if n := p.Broken()[kind]; n < 3 {
				t.Errorf("only %d requests were broken", n)
			}
			if n := p.Count("/v1/completions"); kind != serverstest.Refuse && tries != n {
				t.Errorf("%d tries are reported, %d requests came", tries, n)
			}
		})
	}
}

func TestTwoServersOneOfWhichDiesAndComesBack(t *testing.T) {
	a, b := serve(t, 2), serve(t, 2)
	m := openControl(t, Options{Concurrency: 2}, a.Host(), b.Host())
	by := func(all map[string]backends.Completion) map[string]int {
		counts := map[string]int{}
		for _, c := range all {
			counts[c.Server]++
		}
		return counts
	}
	rate := func(n int, began time.Time) float64 { return float64(n) / time.Since(began).Minutes() }
	requests := items(60)
	askAnd(t, m, requests[:4], 0, nil) // both have the model loaded then
	began := time.Now()
	both := by(askAnd(t, m, requests, 30, func() {
		t.Logf("with both: %.0f requests a minute", rate(30, began))
		if err := a.Kill(); err != nil {
			t.Fatal(err)
		}
		began = time.Now()
	}))
	t.Logf("while one dies: %.0f requests a minute; answered by %v", rate(30, began), both)
	if both[a.Host()] < 1 || both[b.Host()] < 28 || len(both) != 2 {
		t.Errorf("answered by %v", both)
	}
	if err := a.Restart(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	back := by(askAnd(t, m, requests, 0, nil))
	t.Logf("with both again: %.0f requests a minute; answered by %v", rate(60, began), back)
	if back[a.Host()] < 1 {
		t.Errorf("after its return the first server answered nothing: %v", back)
	}
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

func TestOllamaGivesUpOnALoop(t *testing.T) {
	s := serve(t, 1)
	err := s.Client().Create(t.Context(), &api.CreateRequest{ // the protocol has no word for either of these
		Model: "plain", From: "control", Template: "{{ .Prompt }}", Parameters: map[string]any{"repeat_penalty": 1.0},
	}, func(api.ProgressResponse) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	m := openControl(t, Options{Name: "plain", Concurrency: 1}, s.Host())
	loop := backends.Request{ID: "loop", Prompt: strings.Repeat("0", 200), MaxTokens: 100}
	c := one(t, m, loop)
	if c.Finish != backends.FinishLength || c.Cause != backends.CauseLoop || c.Tries != 1 || c.Usage.OutputTokens != 31 ||
		!strings.HasPrefix(c.Text, strings.Repeat("0", 31)) {
		t.Errorf("%+v", c)
	}
	loop.MaxTokens = 20
	if c := one(t, m, loop); c.Finish != backends.FinishLength || c.Cause != backends.CauseLength || c.Usage.OutputTokens != 20 {
		t.Errorf("%+v", c)
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
