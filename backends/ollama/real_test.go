package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/ollama/ollamatest"
)

// everyOne demands that each request has one completion with a text.
func everyOne(t *testing.T, requests []backends.Request, all map[string]backends.Completion) {
	t.Helper()
	if len(all) != len(requests) {
		t.Errorf("%d completions of %d requests", len(all), len(requests))
	}
	for _, r := range requests {
		if c := all[r.ID]; c.Finish == backends.FinishError || c.Finish == "" {
			t.Errorf("%s: finish %q, cause %q, error %q", r.ID, c.Finish, c.Cause, c.Error)
		}
	}
}

// askAnd asks, and calls at once the first n completions are there.
func askAnd(t *testing.T, m *Model, requests []backends.Request, n int, then func()) map[string]backends.Completion {
	t.Helper()
	all := map[string]backends.Completion{}
	err := m.Generate(t.Context(), slices.Values(requests), func(c backends.Completion) error {
		if _, twice := all[c.ID]; twice {
			t.Errorf("%s was done twice", c.ID)
		}
		all[c.ID] = c
		if len(all) == n {
			then()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if left := leftover(); left != "" {
		t.Errorf("Generate has returned, but this runs on:\n%s", left)
	}
	return all
}

func TestAServerThatIsKilledAndComesBackLosesNothing(t *testing.T) {
	s := serve(t, ollamatest.Options{Parallel: 2})
	m := openControl(t, Options{Concurrency: 2, Context: 512}, s.Host())
	back := make(chan error, 1)
	requests := items(40)
	all := askAnd(t, m, requests, 10, func() {
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(5 * time.Second)
			back <- s.Restart(context.WithoutCancel(t.Context()))
		}()
	})
	if err := <-back; err != nil {
		t.Fatal(err)
	}
	everyOne(t, requests, all)
	again := 0
	for _, c := range all {
		if c.Tries > 1 {
			again++
		}
	}
	if again == 0 || again > 4 {
		t.Errorf("%d items were asked again: those in flight are two", again)
	}
}

func TestAServerThatIsGoneForGoodFailsTheRestAtOnce(t *testing.T) {
	s := serve(t, ollamatest.Options{Parallel: 2})
	m := openControl(t, Options{Concurrency: 2, Context: 512, Patience: time.Second}, s.Host())
	requests := items(400)
	all := askAnd(t, m, requests, 10, func() {
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
	})
	if len(all) != len(requests) {
		t.Fatalf("%d completions of %d requests", len(all), len(requests))
	}
	var rest []backends.Request
	for _, r := range requests {
		if c := all[r.ID]; c.Finish == backends.FinishError {
			failed(t, c, backends.CauseConnection, s.Host(), "refused")
			rest = append(rest, r)
		}
	}
	if len(rest) < 380 {
		t.Errorf("only %d requests failed", len(rest))
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	rest = rest[:20]
	again, err := ask(t, m, rest...)
	if err != nil {
		t.Fatal(err)
	}
	everyOne(t, rest, again)
}

func TestTwoServersOneOfWhichDies(t *testing.T) {
	a, b := serve(t, ollamatest.Options{}), serve(t, ollamatest.Options{})
	m := openControl(t, Options{Concurrency: 2, Context: 512}, a.Host(), b.Host())
	info, err := m.Info(t.Context())
	if err != nil || info.Engine.Slots != 4 || !slices.Equal(info.Engine.Servers, []string{a.Host(), b.Host()}) {
		t.Errorf("%+v, %v", info.Engine, err)
	}
	requests := items(60)
	all := askAnd(t, m, requests, 30, func() {
		if err := a.Kill(); err != nil {
			t.Fatal(err)
		}
	})
	everyOne(t, requests, all)
	by := map[string]int{}
	for _, c := range all {
		by[c.Server]++
	}
	if by[a.Host()] < 5 || by[b.Host()] < 30 || len(by) != 2 {
		t.Errorf("answered by %v", by)
	}
	if err := a.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	all = askAnd(t, m, requests, 1, func() {})
	everyOne(t, requests, all)
	by = map[string]int{}
	for _, c := range all {
		by[c.Server]++
	}
	if by[a.Host()] < 5 {
		t.Errorf("after its return the first server answered nothing: %v", by)
	}
}

func TestServersWithDifferentModelsAreRefused(t *testing.T) {
	a, b := serve(t, ollamatest.Options{}), ollamatest.New(t, ollamatest.Options{})
	create(t, b, "control", control, "{{ .System }} {{ .Prompt }}")
	_, err := Open(t.Context(), Options{Name: "control", Hosts: []string{a.Host(), b.Host()}})
	fails(t, err, a.Host(), b.Host(), "template")
	if digests := regexp.MustCompile(`[0-9a-f]{64}`).FindAllString(fmt.Sprint(err), -1); len(digests) != 2 || digests[0] == digests[1] {
		t.Errorf("%v does not name two digests", err)
	}
}

// load has the server load the model as m will want it.
func load(t *testing.T, s *ollamatest.Server, m *Model) {
	t.Helper()
	direct := openControl(t, Options{Context: m.options.Context, Concurrency: 1}, s.Host())
	if _, err := direct.Plan(t.Context(), backends.Workload{}); err != nil {
		t.Fatal(err)
	}
	direct.Close()
}

func TestThroughABreakingProxy(t *testing.T) {
	s := serve(t, ollamatest.Options{Parallel: 4})
	for i, fault := range ollamatest.Faults() {
		t.Run(string(fault), func(t *testing.T) {
			p := ollamatest.NewProxy(t, s.URL(), ollamatest.ProxyOptions{
				Seed: uint64(i), Shares: map[ollamatest.Fault]float64{fault: 0.2}, Delay: 300 * time.Millisecond,
			})
			m := openControl(t, Options{Concurrency: 4, Context: 512, Silence: 200 * time.Millisecond}, p.Host())
			if i == 0 { // loading the model takes longer than the silence that is allowed
				load(t, s, m)
			}
			requests := items(50)
			all, err := ask(t, m, requests...)
			if err != nil {
				t.Fatal(err)
			}
			everyOne(t, requests, all)
			if n := p.Broken()[fault]; n < 5 {
				t.Errorf("only %d requests were broken", n)
			}
			tries := 0
			for _, c := range all {
				tries += c.Tries
			}
			if n := p.Count("/api/generate"); fault != ollamatest.Refuse && tries != n {
				t.Errorf("%d tries are reported, %d requests came", tries, n)
			}
		})
	}
}

func TestNoRequestIsMadeAfterCancellation(t *testing.T) {
	s := serve(t, ollamatest.Options{Parallel: 2})
	p := ollamatest.NewProxy(t, s.URL(), ollamatest.ProxyOptions{Seed: 1, Shares: map[ollamatest.Fault]float64{ollamatest.Cut: 0.1, ollamatest.Status: 0.1}})
	m := openControl(t, Options{Concurrency: 4, Context: 512}, p.Host())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := 0
	err := m.Generate(ctx, slices.Values(items(40)), func(backends.Completion) error {
		if done++; done == 10 {
			cancel()
		}
		return nil
	})
	ended := time.Now()
	if !errors.Is(err, context.Canceled) || done != 10 {
		t.Errorf("Generate returned %v after %d completions", err, done)
	}
	if left := leftover(); left != "" {
		t.Errorf("Generate has returned, but this runs on:\n%s", left)
	}
	time.Sleep(500 * time.Millisecond) // longer than the first waits between tries
	if late := p.Since(ended); len(late) > 0 {
		t.Errorf("%d requests came after Generate had returned", len(late))
	}
}

// smaller passes requests on to a server and forces a context on them while it is above 0.
func smaller(t *testing.T, s *ollamatest.Server, context *atomic.Int32) *httptest.Server {
	pass := httputil.NewSingleHostReverseProxy(s.URL())
	pass.FlushInterval = -1
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := context.Load(); n > 0 && r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			var request map[string]any
			if json.Unmarshal(body, &request) == nil && request["options"] != nil {
				request["options"].(map[string]any)["num_ctx"] = n
				delete(request, "truncate")
				body, _ = json.Marshal(request)
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func TestAContextThatTheServerMakesSmallerIsNoticed(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	prompt := backends.Request{MaxTokens: 16, Prompt: strings.Repeat("Question: is it so?\nAnswer: it is so because it is.\n\n", 60) + "Question: is it so?\nAnswer:"}
	var requests []backends.Request
	for i := range 5 {
		r := prompt
		r.ID = fmt.Sprint(i)
		requests = append(requests, r)
	}
	for name, with := range map[string]func(string) (backends.Tokenizer, error){
		"with the vocabulary":    vocabulary(t),
		"without the vocabulary": func(string) (backends.Tokenizer, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			var forced atomic.Int32
			m := openControl(t, Options{Concurrency: 1, Vocabulary: with, Context: 1900}, smaller(t, s, &forced).URL)
			if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
				t.Fatal(err)
			}
			forced.Store(256)
			all, err := ask(t, m, requests...)
			fails(t, err, "1 of 1 prompts", "--ctx")
			if len(all) != 1 {
				t.Errorf("%d items were asked", len(all))
			}
			failed(t, all["0"], backends.CauseTruncated, "read 256 tokens", "num_ctx was 1900")

			_, err = m.Plan(t.Context(), backends.Workload{})
			fails(t, err, "256", "1900", "OLLAMA_CONTEXT_LENGTH")
		})
	}
}

func TestAPromptThatTheServerRefusesIsNoticed(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	m := openControl(t, Options{Concurrency: 1, Context: 64, Vocabulary: func(string) (backends.Tokenizer, error) { return nil, nil }}, s.Host())
	requests := items(3)
	requests[0].Prompt = strings.Repeat("too long ", 100)
	all, err := ask(t, m, requests...)
	fails(t, err, "--ctx")
	failed(t, all[requests[0].ID], backends.CauseTruncated, "exceeds the context length")
}

func TestOnlyTheHostsThatWereNamedAreAsked(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	a, b := serve(t, ollamatest.Options{}), serve(t, ollamatest.Options{})
	recorder := &ollamatest.Recorder{}
	m := openControl(t, Options{Context: 512, Transport: recorder}, a.Host(), b.Host())
	if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
		t.Fatal(err)
	}
	requests := items(12)
	all, err := ask(t, m, requests...)
	if err != nil {
		t.Fatal(err)
	}
	everyOne(t, requests, all)
	want := []string{a.Host(), b.Host()}
	slices.Sort(want)
	if got := recorder.Hosts(); !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
}

func TestTheModelIsDescribed(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	m := openControl(t, Options{Context: 512}, s.Host())
	info, err := m.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	blob, err := os.ReadFile(control)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile(filepath.Join(s.Models(), "blobs", "sha256-"+info.Model.FileSHA256))
	if err != nil || !bytes.Equal(blob, stored) {
		t.Errorf("file_sha256 %q is not that of the model: %v", info.Model.FileSHA256, err)
	}
	got, _ := json.MarshalIndent(info, "", "\t")
	t.Logf("%s", got)
	if info.Model.Ref != "ollama:control" || info.Model.Name != "control:latest" || info.Model.Architecture != "llama" || info.Model.ContextLength == 0 ||
		info.Model.Parameters == 0 || info.Model.BitsPerWeight < 1 || info.Engine.Version != "0.17.4" || info.Engine.Context != 512 {
		t.Errorf("%s", got)
	}
}

func TestAModelThatIsNotThere(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Options{})
	_, err := Open(t.Context(), Options{Name: "qwen3:0.6b", Hosts: []string{s.Host()}})
	fails(t, err, s.Host(), "ollama pull qwen3:0.6b", "--pull")
}

func TestNoServer(t *testing.T) {
	_, err := Open(t.Context(), Options{Name: "control", Hosts: []string{"127.0.0.1:1"}})
	fails(t, err, "127.0.0.1:1", "refused", "ollama serve", "OLLAMA_HOST")
}

func TestTheServerGivesUpOnALoop(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	m := openControl(t, Options{Context: 512, Concurrency: 1}, s.Host())
	loop := backends.Request{Prompt: strings.Repeat("0", 200), MaxTokens: 100}
	c := one(t, m, loop)
	if c.Finish != backends.FinishLength || c.Cause != backends.CauseLoop || c.Tries != 1 || !strings.HasPrefix(c.Text, strings.Repeat("0", 31)) || c.Usage.OutputTokens != 31 {
		t.Errorf("%+v", c)
	}
	loop.MaxTokens = 20
	if c := one(t, m, loop); c.Finish != backends.FinishLength || c.Cause != backends.CauseLength || c.Usage.OutputTokens != 20 {
		t.Errorf("%+v", c)
	}
}
