package ollama

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ollama/ollama/api"
	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
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
			status(400, "option \"top_k\" must be of type integer"), backends.CauseEngine, 1, []string{"status 400", "top_k"},
		},
		"a broken server is asked again": {
			status(500, "model runner has unexpectedly stopped"), backends.CauseEngine, 3, []string{"status 500", "unexpectedly stopped"},
		},
		"no memory": {
			status(500, "model requires more system memory (9.0 GiB) than is available (1.0 GiB)"), backends.CauseMemory, 3, []string{"9.0 GiB"},
		},
		"an error without a text": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
			backends.CauseEngine, 3, []string{"status 502", "Bad Gateway"},
		},
		"a credential asked for": {status(401, "unauthorized"), backends.CauseAuth, 3, []string{"401", "openai:NAME sends OPENAI_API_KEY"}},
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
			func(w http.ResponseWriter) { w.(http.Flusher).Flush(); time.Sleep(3 * time.Minute) },
			backends.CauseTimeout, 3, []string{"nothing for too long"},
		},
		"a server that never is done": {hang, backends.CauseTimeout, 1, []string{"ran out of time"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) { test.answer(w) }
				options := Options{Settings: backends.Settings{Timeout: 10 * time.Minute},
					ClientOptions: servers.ClientOptions{Tries: 3, Silence: time.Minute}}
				c := one(t, openFake(t, options, f), backends.Request{})
				failed(t, c, test.cause, append(test.words, "fake:80")...)
				assert.Check(t, c.Tries == test.tries && !strings.Contains(c.Error, "\n"),
					"%d tries, error %q; want %d", c.Tries, c.Error, test.tries)
				time.Sleep(time.Hour) // the server ends its last answer meanwhile
			})
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
			assert.Check(t, c.Finish == backends.FinishLength && c.Cause == backends.CauseLoop && c.Tries == 1, "%+v", c)
			assert.Equal(t, c.Text, "So"+strings.Repeat(" ha", 31))
			assert.Check(t, c.Usage.OutputTokens == len(c.Text)/4 && c.Usage.PromptTokens == 2, "%+v", c.Usage)
		})
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	f := newFake(t)
	other := fakeAt(t, f.network, "other:80")
	f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) {
		w.Header().Set("Location", other.URL+"/api/generate")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
	c := one(t, openFake(t, Options{ClientOptions: servers.ClientOptions{Tries: 1}}, f), backends.Request{})
	failed(t, c, backends.CauseConnection, "redirects to "+other.URL)
	assert.Check(t, len(other.requested) == 0, "the other server was asked")
}

func TestNoRequestAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		m := openFake(t, Options{Settings: backends.Settings{Concurrency: 3}}, f)
		ctx, cancel := context.WithCancel(t.Context())
		var requests atomic.Int32
		f.generate = func(w http.ResponseWriter, _ api.GenerateRequest) {
			if requests.Add(1) == 3 {
				cancel()
			}
			hang(w)
		}
		err := m.Generate(ctx, slices.Values(serverstest.Items(30)), func(backends.Completion) error {
			t.Error("done was called")
			return nil
		})
		assert.ErrorIs(t, err, context.Canceled)
		time.Sleep(time.Minute) // shorter than idle connections are kept
		assert.Equal(t, f.network.Open(), 0, "connections are left")
		assert.Equal(t, int(requests.Load()), 3)
	})
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
			backends.FinishError, backends.CauseEngine, `ended the answer with "abort"`,
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
			got := one(t, openFake(t, Options{ClientOptions: servers.ClientOptions{Tries: 1}}, f), backends.Request{})
			assert.Check(t, got.Finish == c.finish && got.Cause == c.cause && strings.Contains(got.Error, c.words), "%+v", got)
		})
	}
}

func TestALateServerWithASmallerContextGetsNoItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &serverstest.Network{}
		early := fakeAt(t, n, "early:80")
		whole := early.generate
		early.generate = func(w http.ResponseWriter, r api.GenerateRequest) {
			time.Sleep(time.Second)
			whole(w, r)
		}
		m := opened(t, Options{Settings: backends.Settings{Model: "ollama:fake", Servers: []string{"early:80", "late:80"},
			Concurrency: 2, Context: 1024}, ClientOptions: servers.ClientOptions{Transport: n.Transport()}})
		_, err := m.Plan(t.Context(), backends.Workload{})
		assert.NilError(t, err)
		late := fakeAt(t, n, "late:80")
		late.loaded = 256
		all, err := ask(t, m, serverstest.Items(80)...)
		assert.NilError(t, err)
		assert.Equal(t, len(all), 80)
		assert.Equal(t, len(late.requested), 0)
		assert.Assert(t, late.loads > 0, "it was not met")
	})
}
