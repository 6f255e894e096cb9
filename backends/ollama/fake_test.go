package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
)

// fake answers as a server does, for what no real one can be brought to do.
type fake struct {
	*httptest.Server
	show     api.ShowResponse
	loaded   int                                                // context of the loaded model
	generate func(w http.ResponseWriter, r api.GenerateRequest) // a request that has a prompt
	chat     func(w http.ResponseWriter, r api.ChatRequest)

	mu       sync.Mutex
	asked    []string // prompts of generate
	unloads  int
	unloaded bool // and not loaded again
}

// newFake starts a server that holds the model fake:latest and answers " yes".
func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{loaded: 4096}
	f.show = api.ShowResponse{
		Modelfile: "FROM /models/blobs/sha256-" + strings.Repeat("b", 64) + "\n",
		Template:  "{{ .Prompt }}",
		ModelInfo: map[string]any{"general.architecture": "llama", "general.parameter_count": 64, "llama.context_length": 4096},
	}
	f.generate = func(w http.ResponseWriter, r api.GenerateRequest) {
		say(w, api.GenerateResponse{Response: " yes"})
		say(w, api.GenerateResponse{Done: true, DoneReason: "stop", Metrics: counts(len(r.Prompt)/4, 2)})
	}
	mux := http.NewServeMux()
	reply := func(path string, what func() any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(what()) })
	}
	reply("/api/version", func() any { return map[string]string{"version": "0.17.4"} })
	reply("/api/show", func() any { return f.show })
	reply("/api/ps", func() any {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.unloaded {
			return api.ProcessResponse{}
		}
		return api.ProcessResponse{Models: []api.ProcessModelResponse{{Model: "fake:latest",
			ContextLength: f.loaded, Size: 100, SizeVRAM: 60}}}
	})
	mux.HandleFunc("/api/generate", func(w http.ResponseWriter, r *http.Request) {
		var request api.GenerateRequest
		json.NewDecoder(r.Body).Decode(&request)
		if request.Prompt == "" {
			f.mu.Lock()
			if f.unloaded = request.KeepAlive != nil && request.KeepAlive.Duration == 0; f.unloaded {
				f.unloads++
			}
			f.mu.Unlock()
			say(w, api.GenerateResponse{Done: true, DoneReason: "load"})
			return
		}
		f.mu.Lock()
		f.asked = append(f.asked, request.Prompt)
		f.mu.Unlock()
		f.generate(w, request)
	})
	mux.HandleFunc("/api/chat", func(w http.ResponseWriter, r *http.Request) {
		var request api.ChatRequest
		json.NewDecoder(r.Body).Decode(&request)
		f.chat(w, request)
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

// say sends a line of a stream.
func say(w io.Writer, line any) {
	json.NewEncoder(w).Encode(line)
	w.(http.Flusher).Flush()
}

func counts(prompt, answer int) api.Metrics {
	return api.Metrics{PromptEvalCount: prompt, EvalCount: answer, PromptEvalDuration: time.Microsecond, EvalDuration: time.Microsecond}
}

// hang sends empty lines until the client gives up.
func hang(w http.ResponseWriter) {
	for range 100 {
		if _, err := w.Write([]byte("{}\n")); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		time.Sleep(50 * time.Millisecond)
	}
}

// openFake opens the model of fakes.
func openFake(t *testing.T, o Options, fakes ...*fake) *Model {
	t.Helper()
	for _, f := range fakes {
		o.Hosts = append(o.Hosts, f.URL)
	}
	o.Name = "fake"
	return opened(t, o)
}

// opened opens a model and closes it at the test's end.
func opened(t *testing.T, o Options) *Model {
	t.Helper()
	if o.Log == nil {
		o.Log = logTo(t)
	}
	if o.Transport == nil {
		o.Transport = counted()
	}
	m, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// logTo passes a model's words on to the test's log, as long as the test runs.
func logTo(t *testing.T) func(slog.Level, string) {
	var mu sync.Mutex
	over := false
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
	})
	return func(level slog.Level, text string) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			t.Log(level, text)
		}
	}
}

// ask runs requests and returns their completions by id. No goroutine of the package may be left then.
func ask(t *testing.T, m *Model, requests ...backends.Request) (map[string]backends.Completion, error) {
	t.Helper()
	return gather(t, m, requests, func(int) {})
}

// gather is ask, and calls each with the number of completions whenever there is one more.
func gather(t *testing.T, m *Model, requests []backends.Request, each func(n int)) (map[string]backends.Completion, error) {
	t.Helper()
	all := map[string]backends.Completion{}
	err := m.Generate(t.Context(), slices.Values(requests), func(c backends.Completion) error {
		if _, twice := all[c.ID]; twice {
			t.Errorf("%s was done twice", c.ID)
		}
		all[c.ID] = c
		each(len(all))
		return nil
	})
	if left := leftover(); left != "" {
		t.Errorf("Generate has returned, but this runs on:\n%s", left)
	}
	return all, err
}

// one asks a single request.
func one(t *testing.T, m *Model, r backends.Request) backends.Completion {
	t.Helper()
	r.ID = "one"
	if r.MaxTokens == 0 {
		r.MaxTokens = 16
	}
	if r.Prompt == "" {
		r.Prompt = "Is it so?"
	}
	all, err := ask(t, m, r)
	if err != nil {
		t.Fatal(err)
	}
	return all["one"]
}

// failed demands a completion that failed for a cause.
func failed(t *testing.T, c backends.Completion, cause backends.Cause, words ...string) {
	t.Helper()
	if c.Finish != backends.FinishError || c.Cause != cause || c.Text != "" {
		t.Errorf("finish %q, cause %q, text %q, error %q; want cause %q", c.Finish, c.Cause, c.Text, c.Error, cause)
	}
	contains(t, c.Error, words...)
}

func contains(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q does not mention %q", text, word)
		}
	}
}

func fails(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one about %q", words)
	}
	contains(t, err.Error(), words...)
}

// fewTokens counts a token for every four bytes.
type fewTokens struct{}

func (fewTokens) Tokenize(text string) ([]int32, error) { return make([]int32, len(text)/4), nil }

func vocabularyOfFake(string) (backends.Tokenizer, error) { return fewTokens{}, nil }

// endless yields requests until nobody wants more.
func endless(yield func(backends.Request) bool) {
	for i := 0; yield(backends.Request{ID: string(rune('a' + i)), Prompt: "go on", MaxTokens: 4}); i++ {
	}
}

func isCancelled(err error) bool { return errors.Is(err, context.Canceled) }
