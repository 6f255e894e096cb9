package ollama

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/servers"
)

func TestErrorsOfAServer(t *testing.T) {
	status := func(code int, text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"error":%q}`, text)
		}
	}
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter)
		cause  backends.Cause
		tries  int
		words  []string
	}{
		"a request that makes no sense is not asked again": {
			status(400, "option \"top_k\" must be of type integer"),
			backends.CauseEngine, 1, []string{"status 400", "top_k"},
		},
		"a broken server is asked again": {
			status(500, "model runner has unexpectedly stopped"),
			backends.CauseEngine, 3, []string{"status 500", "unexpectedly stopped"},
		},
		"a busy one too": {
			status(503, "server busy, please try again"),
			backends.CauseEngine, 3, []string{"status 503"},
		},
		"no memory": {
			status(500, "model requires more system memory (9.0 GiB) than is available (1.0 GiB)"),
			backends.CauseMemory, 3, []string{"9.0 GiB"},
		},
		"an error without a text": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
			backends.CauseEngine, 3, []string{"status 502", "Bad Gateway"},
		},
		"a credential asked for": {
			status(401, "unauthorized"),
			backends.CauseEngine, 1, []string{"401"},
		},
		"an error in mid-stream": {func(w http.ResponseWriter) {
			say(w, api.GenerateResponse{Response: " ye"})
			fmt.Fprintln(w, `{"error":"an error was encountered while running the model: GGML_ASSERT"}`)
		}, backends.CauseEngine, 3, []string{"GGML_ASSERT"}},
		"no JSON": {func(w http.ResponseWriter) {
			say(w, api.GenerateResponse{Response: " ye"})
			fmt.Fprintln(w, "<html>\x00 it works\n!</html>")
		}, backends.CauseEngine, 3, []string{"<html>"}},
		"other JSON": {func(w http.ResponseWriter) { fmt.Fprintln(w, `{"response":17}`) }, backends.CauseEngine, 3, nil},
		"half an answer": {
			func(w http.ResponseWriter) { say(w, api.GenerateResponse{Response: " ye"}) },
			backends.CauseConnection, 3, []string{"before it was done"},
		},
		"no answer": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) }, backends.CauseConnection, 3, nil},
		"a connection that is cut": {func(w http.ResponseWriter) {
			say(w, api.GenerateResponse{Response: " ye"})
			panic(http.ErrAbortHandler)
		}, backends.CauseConnection, 3, []string{"broke"}},
		"a server that says nothing": {
			func(w http.ResponseWriter) { w.(http.Flusher).Flush(); time.Sleep(300 * time.Millisecond) },
			backends.CauseTimeout, 3, []string{"nothing for too long"},
		},
		"a server that never is done": {hang, backends.CauseTimeout, 1, []string{"time is over"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) { test.answer(w) }
			options := Options{Asking: servers.Asking{Tries: 3}}
			if test.cause == backends.CauseTimeout { // elsewhere a busy machine would be taken for a server's silence
				options.Silence, options.Deadline = 100*time.Millisecond, time.Second
			}
			m := openFake(t, options, f)
			c := one(t, m, backends.Request{})
			failed(t, c, test.cause, append(test.words, "ollama: ", strings.TrimPrefix(f.URL, "http://"))...)
			if c.Tries != test.tries || strings.Contains(c.Error, "\n") {
				t.Errorf("%d tries, error %q; want %d", c.Tries, c.Error, test.tries)
			}
		})
	}
}

func TestALoopIsTheModelsOwn(t *testing.T) {
	for name, end := range map[string]func(http.ResponseWriter){
		"no last line":               func(http.ResponseWriter) {},
		"a last line without counts": func(w http.ResponseWriter) { say(w, api.GenerateResponse{Done: true, DoneReason: "stop"}) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) {
				say(w, api.GenerateResponse{Response: "So"})
				for range 31 {
					say(w, api.GenerateResponse{Response: " ha"})
				}
				end(w)
			}
			c := one(t, openFake(t, Options{Vocabulary: vocabularyOfFake}, f), backends.Request{MaxTokens: 99})
			if c.Finish != backends.FinishLength || c.Cause != backends.CauseLoop || c.Tries != 1 ||
				c.Text != "So"+strings.Repeat(" ha", 31) {
				t.Errorf("%+v", c)
			}
			if c.Usage.OutputTokens != len(c.Text)/4 || c.Usage.PromptTokens != 2 {
				t.Errorf("%+v", c.Usage)
			}
		})
	}
}

func TestALoopOfSeveralTokensIsEndedHere(t *testing.T) {
	f := newFake(t)
	most := make(chan int, 1)
	f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) {
		pieces := <-most
		for n := range pieces {
			if _, broken := fmt.Fprintf(w, "{\"response\":%q}\n", []string{" It is", " (C), as before."}[n%2]); broken != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
		say(w, api.GenerateResponse{Done: true, DoneReason: "length", Metrics: counts(2, pieces)})
	}
	m := openFake(t, Options{Vocabulary: vocabularyOfFake}, f)
	most <- math.MaxInt // until the request is broken off
	c := one(t, m, backends.Request{MaxTokens: 4000, EndLoops: true})
	if c.Finish != backends.FinishLength || c.Cause != backends.CauseLoop || c.Usage.OutputTokens != len(c.Text)/4 ||
		len(c.Text) < 400 || len(c.Text) > 4000 {
		t.Errorf("%+v", c)
	}
	most <- 1000
	if c = one(t, m, backends.Request{MaxTokens: 1000}); c.Cause != backends.CauseLength || c.Usage.OutputTokens != 1000 {
		t.Errorf("not asked to end loops: %+v", c)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	other := newFake(t)
	f := newFake(t)
	f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) {
		w.Header().Set("Location", other.URL+"/api/generate")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
	failed(t, one(t, openFake(t, Options{Asking: servers.Asking{Tries: 1}}, f), backends.Request{}), backends.CauseConnection, "redirects to "+other.URL)
	if len(other.asked) > 0 {
		t.Error("the other server was asked")
	}
}

func TestNoRequestAfterTheEnd(t *testing.T) {
	f := newFake(t)
	m := openFake(t, Options{Concurrency: 3}, f)
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan bool, 3)
	f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) {
		started <- true
		hang(w)
	}
	go func() {
		for range 3 {
			<-started
		}
		cancel()
	}()
	err := m.Generate(ctx, endless, func(backends.Completion) error {
		t.Error("done was called")
		return nil
	})
	if !isCancelled(err) {
		t.Errorf("Generate returned %v", err)
	}
	if left := leftover(); left != "" {
		t.Errorf("Generate has returned, but this runs on:\n%s", left)
	}
	if n := len(f.asked); n != 3 {
		t.Errorf("%d requests were made, 3 before the end", n)
	}
}
