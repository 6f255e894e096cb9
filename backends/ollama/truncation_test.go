package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync/atomic"
	"testing"

	"proctor/backends"
	"proctor/backends/ollama/ollamatest"
)

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
	prompt := backends.Request{MaxTokens: 16, Prompt: strings.Repeat("Question: is it so?\nAnswer: it is so because it is.\n\n", 60) +
		"Question: is it so?\nAnswer:"}
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
			fails(t, err, "1 of 1 prompts", "context")
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
	m := openControl(t, Options{Concurrency: 1, Context: 64,
		Vocabulary: func(string) (backends.Tokenizer, error) { return nil, nil }}, s.Host())
	requests := items(3)
	requests[0].Prompt = strings.Repeat("too long ", 100)
	all, err := ask(t, m, requests...)
	fails(t, err, "context")
	failed(t, all[requests[0].ID], backends.CauseTruncated, "exceeds the context length")
}
