package ollama

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/servers/serverstest"
	"proctor/scripts/tests/errortest"
)

// fake answers as a server does, for what no real one can be brought to do.
type fake struct {
	URL      string
	network  *serverstest.Network
	handler  http.Handler
	version  string
	show     api.ShowResponse
	loaded   int                                                // context of the loaded model
	generate func(w http.ResponseWriter, r api.GenerateRequest) // a request that has a prompt
	chat     func(w http.ResponseWriter, r api.ChatRequest)

	mu        sync.Mutex
	requested []string // prompts of generate
	loads     int
	unloads   int
	unloaded  bool // and not loaded again
}

// newFake is a server that holds the model fake:latest and answers " yes".
func newFake(t *testing.T) *fake { return fakeAt(t, &serverstest.Network{}, "fake:80") }

// fakeAt is newFake at a host of a network.
func fakeAt(t *testing.T, network *serverstest.Network, host string) *fake {
	f := &fake{loaded: 4096, version: "0.17.4"}
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
	reply("/api/version", func() any { return map[string]string{"version": f.version} })
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
			} else {
				f.loads++
			}
			f.mu.Unlock()
			say(w, api.GenerateResponse{Done: true, DoneReason: "load"})
			return
		}
		f.mu.Lock()
		f.requested = append(f.requested, request.Prompt)
		f.mu.Unlock()
		f.generate(w, request)
	})
	mux.HandleFunc("/api/chat", func(w http.ResponseWriter, r *http.Request) {
		var request api.ChatRequest
		json.NewDecoder(r.Body).Decode(&request)
		f.chat(w, request)
	})
	f.handler, f.network, f.URL = mux, network, "http://"+host
	network.Serve(t, host, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.handler.ServeHTTP(w, r) }))
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
	for broken := error(nil); broken == nil; time.Sleep(50 * time.Millisecond) {
		_, broken = w.Write([]byte("{}\n"))
		w.(http.Flusher).Flush()
	}
}

// openFake opens the model of a fake.
func openFake(t *testing.T, o Options, f *fake) *Model {
	t.Helper()
	o.Model, o.Servers, o.Transport = "ollama:fake", []string{f.URL}, f.network.Transport()
	return opened(t, o)
}

// opened opens a model and closes it at the test's end.
func opened(t *testing.T, o Options) *Model {
	t.Helper()
	m, err := Open(t.Context(), o)
	assert.NilError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// ask runs requests and returns their completions by id.
func ask(t *testing.T, m *Model, requests ...backends.Request) (map[string]backends.Completion, error) {
	t.Helper()
	return backendtest.Ask(t, m, requests, nil)
}

// one asks a single request.
func one(t *testing.T, m *Model, r backends.Request) backends.Completion {
	t.Helper()
	r.ID, r.MaxTokens = "one", cmp.Or(r.MaxTokens, 16)
	if r.Messages == nil {
		r.Prompt = cmp.Or(r.Prompt, "Is it so?")
	}
	all, err := ask(t, m, r)
	assert.NilError(t, err)
	return all["one"]
}

// failed demands a completion that failed for a cause.
func failed(t *testing.T, c backends.Completion, cause backends.Cause, words ...string) {
	t.Helper()
	assert.Check(t, c.Finish == backends.FinishError && c.Cause == cause && c.Text == "",
		"finish %q, cause %q, text %q, error %q; want cause %q", c.Finish, c.Cause, c.Text, c.Error, cause)
	contains(t, c.Error, words...)
}

func contains(t *testing.T, text string, words ...string) {
	t.Helper()
	errortest.Says(t, errors.New(text), words...)
}

// fewTokens counts a token for every four bytes.
type fewTokens struct{}

func (fewTokens) Tokenize(text string) ([]int32, error) { return make([]int32, len(text)/4), nil }

func vocabularyOfFake(string) (backends.Tokenizer, error) { return fewTokens{}, nil }
