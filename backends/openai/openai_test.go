package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/scripts/tests/errortest"
)

// fakeServer answers as llama-server does, with what OpenAI's protocol lacks; the real one cannot be had everywhere.
type fakeServer struct {
	answer func(w http.ResponseWriter, body map[string]any) // nil: a short text

	mu     sync.Mutex
	bodies []map[string]any
	keys   []string
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.keys = append(s.keys, r.Header.Get("Authorization"))
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/v1/models":
		io.WriteString(w, `{"object":"list","data":[{"id":"random-100M","object":"model"}]}`)
	case "/props":
		io.WriteString(w, `{"total_slots":3}`)
	case "/v1/completions":
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		s.bodies = append(s.bodies, body)
		s.mu.Unlock()
		if s.answer != nil {
			s.answer(w, body)
			return
		}
		events(w, `{"choices":[{"index":0,"text":"The answer ","finish_reason":null}]}`,
			`{"choices":[{"index":0,"text":"is (B).","finish_reason":null}]}`,
			`{"choices":[{"index":0,"text":"","finish_reason":"stop"}],`+
				`"usage":{"prompt_tokens":40,"completion_tokens":7,"total_tokens":47},`+
				`"timings":{"prompt_n":15,"prompt_ms":12.5,"predicted_n":7,"predicted_ms":70}}`)
	default:
		http.NotFound(w, r)
	}
}

func events(w http.ResponseWriter, lines ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, line := range append(lines, "[DONE]") {
		fmt.Fprintf(w, "data: %s\n\n", line)
	}
}

// opened is the model of a server.
func opened(t *testing.T, s *fakeServer) *Model {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	model, err := Open(t.Context(), Options{Base: server.URL, Asking: servers.Asking{Tries: 2}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	return model
}

func one(t *testing.T, model *Model, r backends.Request) (only backends.Completion) {
	t.Helper()
	err := model.Generate(t.Context(), slices.Values([]backends.Request{r}), func(c backends.Completion) error { only = c; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return only
}

func TestWhatLlamaServerSaysBeyondTheProtocol(t *testing.T) {
	s := &fakeServer{}
	model := opened(t, s)
	info, err := model.Info(t.Context())
	if err != nil || info.Engine.Slots != 3 || info.Model.Name != "random-100M" {
		t.Errorf("%+v, %v", info, err)
	}
	c := one(t, model, backends.Request{
		ID: "1", Prompt: "Question", MaxTokens: 7,
		Sampling: backends.Sampling{Temperature: 1, TopK: 40, TopP: 0.9, Seed: 8},
	})
	if c.Text != "The answer is (B)." || c.Finish != backends.FinishLength || c.Cause != backends.CauseLength {
		t.Errorf("%+v", c)
	}
	if want := (backends.Usage{PromptTokens: 40, ReusedTokens: 25, OutputTokens: 7}); c.Usage != want {
		t.Errorf("usage %+v, want %+v", c.Usage, want)
	}
	if c.Timing.Prefill != 12500*time.Microsecond || c.Timing.Decode != 70*time.Millisecond {
		t.Errorf("timing %+v", c.Timing)
	}
	want := map[string]any{
		"model": "random-100M", "prompt": "Question", "max_tokens": 7.0, "temperature": 1.0, "top_k": 40.0, "top_p": 0.9, "seed": 8.0,
	}
	for key, value := range want {
		if s.bodies[0][key] != value {
			t.Errorf("%s is %v, want %v", key, s.bodies[0][key], value)
		}
	}
}

func TestAKeyForAnotherServerIsNotSent(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
	s := &fakeServer{}
	one(t, opened(t, s), backends.Request{ID: "1", Prompt: "Question", MaxTokens: 7})
	for _, key := range s.keys {
		if strings.Contains(key, "secret") {
			t.Errorf("a request carried %q", key)
		}
	}
}

func TestForgetTakesEverySlot(t *testing.T) {
	s := &fakeServer{}
	if err := opened(t, s).Forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	prompts := map[any]bool{}
	for _, body := range s.bodies {
		prompts[body["prompt"]] = true
	}
	if len(prompts) != 3 {
		t.Errorf("3 slots got %d prompts: %v", len(prompts), prompts)
	}
}

func TestWhatGoesWrongIsSaidInALine(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, map[string]any)
		cause  backends.Cause
		want   string
	}{
		{"refused", func(w http.ResponseWriter, _ map[string]any) {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":{"message":"the request exceeds\nthe context","type":"invalid_request_error"}}`)
		}, backends.CauseEngine, "status 400: the request exceeds the context"},
		{"late", func(w http.ResponseWriter, _ map[string]any) { w.WriteHeader(http.StatusGatewayTimeout) },
			backends.CauseTimeout, "status 504: Gateway Timeout"},
		{"cut off", func(w http.ResponseWriter, _ map[string]any) {
			events(w, `{"choices":[{"index":0,"text":"The","finish_reason":null}]}`)
		}, backends.CauseConnection, "the answer ended before it was done"},
		{"nothing but the end", func(w http.ResponseWriter, _ map[string]any) { events(w) },
			backends.CauseEngine, "status 200, but no answer: its events have no text"},
		{"broken", func(w http.ResponseWriter, _ map[string]any) {
			events(w, `{"choices":[{"index":0,"text":"The","finish_reason":null}]}`, `{"choices":`)
		}, backends.CauseConnection, "unexpected end of JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := one(t, opened(t, &fakeServer{answer: c.answer}), backends.Request{ID: "1", Prompt: "Question", MaxTokens: 7})
			if got.Finish != backends.FinishError || got.Cause != c.cause || !strings.Contains(got.Error, c.want) ||
				strings.Contains(got.Error, "\n") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestTheLastEventNeedsNoEmptyLineBehindIt(t *testing.T) {
	answer := func(w http.ResponseWriter, _ map[string]any) {
		io.WriteString(w, `data: {"choices":[{"index":0,"text":" yes","finish_reason":"stop"}]}`)
	}
	if c := one(t, opened(t, &fakeServer{answer: answer}), backends.Request{ID: "1", Prompt: "Question", MaxTokens: 7}); c.Text != " yes" {
		t.Errorf("%+v", c)
	}
}

// llama-server says "stop" of a stop string and of a token that ends texts; vLLM names the string.
func TestWhichStopStringEndedATextIsKnown(t *testing.T) {
	const text, stop = " so it goes", "\n\nQuestion: 2"
	tokenize := func(text string) ([]int32, error) { return make([]int32, len(strings.Fields(text))), nil }
	for written, want := range map[int]string{4: "", 5: stop, 9: ""} {
		a := &answer{Answer: servers.NewAnswer(&servers.Request{Request: backends.Request{Stop: []string{"I hope", stop}, MaxTokens: 9}}, &servers.Load{})}
		if _, err := a.take(event{Usage: fmt.Appendf(nil, `{"completion_tokens":%d}`, written)}); err != nil {
			t.Fatal(err)
		}
		a.Text.Add([]byte(text))
		if got := a.stoppedBy(tokenize); got != want {
			t.Errorf("of %d tokens: %q, want %q", written, got, want)
		}
	}
	s := &fakeServer{answer: func(w http.ResponseWriter, _ map[string]any) {
		events(w, `{"choices":[{"index":0,"text":" yes","finish_reason":"stop","stop_reason":"Question:"}]}`)
	}}
	if c := one(t, opened(t, s), backends.Request{ID: "1", Prompt: "Question", MaxTokens: 7}); c.Stop != "Question:" {
		t.Errorf("%+v", c)
	}
}

// llama-server's slots share a context: where they fill it, it ends all their answers.
func TestAFullContextIsNoItemsFault(t *testing.T) {
	const slots = 3 // of the fake server
	asked := make(chan struct{}, slots)
	var first sync.WaitGroup
	first.Add(slots)
	answer := func(w http.ResponseWriter, _ map[string]any) {
		select {
		case asked <- struct{}{}:
			first.Done()
			first.Wait()
			events(w, `{"choices":[{"index":0,"text":" ye","finish_reason":null}]}`,
				`{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`)
		default:
			yes(w)
		}
	}
	m := opened(t, &fakeServer{answer: answer})
	requests := make([]backends.Request, 2*slots)
	for i := range requests {
		requests[i] = backends.Request{ID: fmt.Sprint(i), Prompt: "Question", MaxTokens: 8}
	}
	err := m.Generate(t.Context(), slices.Values(requests), func(c backends.Completion) error {
		if c.Text != " yes" {
			t.Errorf("%+v", c)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAPathIsNoName(t *testing.T) {
	for id, want := range map[string]string{
		"/models/a-Q4_0.gguf": "a-Q4_0", `C:\models\a.gguf`: "a", "Qwen/Qwen3-8B": "Qwen/Qwen3-8B", "a:8b": "a:8b",
	} {
		if got := named(id); got != want {
			t.Errorf("%s is %s", id, got)
		}
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"data":[]}`)
	}))
	defer empty.Close()
	several := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"data":[{"id":"a"},{"id":"b:latest"}]}`)
	}))
	defer several.Close()
	if model, err := Open(t.Context(), Options{Base: several.URL + "/v1/", Name: "b"}); err != nil || model.first.known().model != "b:latest" {
		t.Errorf("b:latest: %v", err)
	}
	lacking := httptest.NewServer(http.NotFoundHandler())
	defer lacking.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }))
	defer page.Close()
	_, err := Open(t.Context(), Options{Base: several.URL, Name: "c"})
	errortest.Says(t, err, `has no model "c", it has a, b:latest`)
	for url, want := range map[string]string{
		"ftp://localhost":         "is not a server's address: give one as in http://127.0.0.1:8080",
		"http://127.0.0.1:1":      "no server answers: 127.0.0.1:1: dial tcp",
		"http://127.0.0.1:1/v1?a": "has something behind its path",
		lacking.URL:               "does not list its models at /v1/models (status 404: Not Found)",
		page.URL:                  "does not speak OpenAI's protocol: is /v1 its base address?",
		empty.URL:                 "has no model",
		several.URL:               "has the models a, b:latest: name one of them, as in openai:a",
	} {
		_, err := Open(context.Background(), Options{Base: url, Asking: servers.Asking{Patience: time.Second}})
		errortest.For(t, url, err, want)
	}
}
