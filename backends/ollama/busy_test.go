package ollama

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/servers"
)

func TestALongPauseEndsTheRunAtOnce(t *testing.T) {
	f := newFake(t)
	f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	began := time.Now()
	_, err := ask(t, openFake(t, Options{}, f), items(4)...)
	fails(t, err, "ollama: ", "asks to be left alone for 24h0m0s", "resume", "timeout")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestOddEndings(t *testing.T) {
	for name, c := range map[string]struct {
		line   api.GenerateResponse
		finish backends.Finish
		cause  backends.Cause
		words  string
	}{
		"abort": {
			api.GenerateResponse{Done: true, DoneReason: "abort", Metrics: counts(2, 2)},
			backends.FinishError, backends.CauseEngine, "done_reason abort",
		},
		"a length without counts": {api.GenerateResponse{Done: true, DoneReason: "length"}, backends.FinishLength, backends.CauseLength, ""},
		"too many tokens": {
			api.GenerateResponse{Done: true, DoneReason: "stop", Metrics: counts(2, 5000)},
			backends.FinishError, backends.CauseEngine, "5000 tokens where max tokens is 16",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) {
				say(w, api.GenerateResponse{Response: " yes"})
				say(w, c.line)
			}
			got := one(t, openFake(t, Options{Asking: servers.Asking{Tries: 1}}, f), backends.Request{})
			if got.Finish != c.finish || got.Cause != c.cause || !strings.Contains(got.Error, c.words) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestWhatAServerMaySendIsBounded(t *testing.T) {
	for name, line := range map[string]string{
		"pieces":       `{"response":" yes"}` + "\n",
		"long pieces":  `{"response":"` + strings.Repeat("y ", 50_000) + `"}` + "\n",
		"empty pieces": `{"model":"` + strings.Repeat("m", 10_000) + `"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) {
				for {
					if _, err := w.Write([]byte(line)); err != nil {
						return
					}
				}
			}
			c := one(t, openFake(t, Options{}, f), backends.Request{})
			failed(t, c, backends.CauseEngine, "does not keep to max_tokens")
			if c.Tries != 1 {
				t.Errorf("%d tries", c.Tries)
			}
		})
	}
}

// TestALateServerWithASmallerContextGetsNoItems has a server come while the run goes on.
func TestALateServerWithASmallerContextGetsNoItems(t *testing.T) {
	early, late := newFake(t), newFake(t)
	late.loaded = 256
	whole := early.generate
	early.generate = func(w http.ResponseWriter, r api.GenerateRequest) {
		time.Sleep(20 * time.Millisecond)
		whole(w, r)
	}
	place, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := place.Addr().String()
	place.Close()
	var met atomic.Int32
	m := opened(t, Options{Name: "fake", Hosts: []string{early.URL, address}, Concurrency: 2, Context: 1024})
	if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
		t.Fatal(err)
	}
	place, err = net.Listen("tcp", address)
	if err != nil {
		t.Skip(err) // somebody took the port
	}
	second := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		met.Add(1)
		late.Config.Handler.ServeHTTP(w, r)
	}))
	second.Listener = place
	second.Start()
	t.Cleanup(second.Close)
	all, err := ask(t, m, items(80)...)
	if err != nil || len(all) != 80 {
		t.Fatalf("%d completions, %v", len(all), err)
	}
	if len(late.asked) > 0 || met.Load() == 0 {
		t.Errorf("the late server got %d items; it was met %d times", len(late.asked), met.Load())
	}
}
