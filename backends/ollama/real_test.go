package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama/ollamatest"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
	"proctor/scripts/tests/errortest"
)

// everyOne returns the completions of requests, which must all have a text.
func everyOne(t *testing.T, m *Model, requests []backends.Request, each func(done int)) map[string]backends.Completion {
	t.Helper()
	all := backendtest.Answers(t, m, requests, each)
	for id, c := range all {
		assert.Check(t, c.Finish != backends.FinishError && c.Finish != "", "%s: %+v", id, c)
	}
	return all
}

func TestServersWithDifferentModelsAreRefused(t *testing.T) {
	a, b := serve(t, ollamatest.Options{}), ollamatest.New(t, ollamatest.Options{})
	create(t, b, "control", control, "{{ .System }} {{ .Prompt }}")
	_, err := Open(t.Context(), Options{Settings: backends.Settings{Model: "ollama:control", Servers: []string{a.Host(),
		b.Host()}}})
	errortest.Says(t, err, a.Host(), b.Host(), "template")
	digests := regexp.MustCompile(`[0-9a-f]{64}`).FindAllString(fmt.Sprint(err), -1)
	assert.Check(t, len(digests) == 2 && digests[0] != digests[1], "%v does not name two digests", err)
}

func TestAModelThatIsUnloadedIsLoadedAgain(t *testing.T) {
	s := serve(t, ollamatest.Options{Parallel: 2})
	m := openControl(t, Options{Settings: backends.Settings{Concurrency: 2, Context: 512}}, s.Host())
	everyOne(t, m, serverstest.Items(20), backendtest.After(5, func() {
		unload := &api.GenerateRequest{Model: "control", KeepAlive: &api.Duration{}}
		assert.Check(t, s.Client().Generate(t.Context(), unload, func(api.GenerateResponse) error { return nil }))
	}))
	assert.Check(t, strings.Contains(s.Log(), "runner terminated and removed from list") ||
		strings.Count(s.Log(), "starting runner") >= 2, "the server did not unload the model")
}

func TestAModelThatIsDeletedFailsTheRest(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	m := openControl(t, Options{Settings: backends.Settings{Concurrency: 2, Context: 512},
		ClientOptions: servers.ClientOptions{Patience: 300 * time.Millisecond}}, s.Host())
	all := backendtest.Answers(t, m, serverstest.Items(20), backendtest.After(5, func() {
		assert.Check(t, s.Client().Delete(t.Context(), &api.DeleteRequest{Model: "control"}))
	}))
	failed(t, all["item/19"], backends.CauseConnection, s.Host(), "ollama pull control")
}

// recorder notes which hosts are asked on their way through it.
type recorder struct{ hosts sync.Map }

// RoundTrip implements [http.RoundTripper].
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.hosts.Store(request.URL.Host, true)
	return http.DefaultTransport.RoundTrip(request)
}

func TestOnlyTheNamedHostsGetRequests(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	a, b := serve(t, ollamatest.Options{}), serve(t, ollamatest.Options{})
	recorder := &recorder{}
	m := openControl(t, Options{Settings: backends.Settings{Context: 512, Concurrency: 2},
		ClientOptions: servers.ClientOptions{Transport: recorder}}, a.Host(), b.Host())
	_, err := m.Plan(t.Context(), backends.Workload{})
	assert.NilError(t, err)
	everyOne(t, m, serverstest.Items(12), nil)
	reached := map[any]bool{}
	recorder.hosts.Range(func(host, _ any) bool { reached[host] = true; return true })
	assert.DeepEqual(t, reached, map[any]bool{a.Host(): true, b.Host(): true})
}

func TestTheModelIsDescribedAsItsFileIs(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	m := openControl(t, Options{Settings: backends.Settings{Context: 512}}, s.Host())
	info, err := m.Info(t.Context())
	assert.NilError(t, err)
	file, err := gguf.Open(control)
	assert.NilError(t, err)
	sum, err := file.SHA256(t.Context())
	want := llamacpp.Describe(file, "ollama:control", sum)
	assert.NilError(t, err)
	// The name and the chat template are those of the server.
	want.Name, want.ChatTemplateSHA256 = "control:latest", info.Model.ChatTemplateSHA256
	assert.Check(t, reflect.DeepEqual(info.Model, want) && len(want.ChatTemplateSHA256) == 64,
		"the server says\n%+v, the file\n%+v", info.Model, want)
	version, err := s.Client().Version(t.Context())
	e := info.Engine
	assert.Check(t, err == nil && e.Name == "ollama" && e.Version == version && e.Context == 512 && e.Threads == 1 &&
		e.GPULayers == -1, "%+v, %v", e, err)
}

func TestTheServerGivesUpOnALoop(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	m := openControl(t, Options{Settings: backends.Settings{Context: 512, Concurrency: 1}}, s.Host())
	loop := backends.Request{Prompt: strings.Repeat("0", 200), MaxTokens: 100}
	c := one(t, m, loop)
	assert.Check(t, c.Finish == backends.FinishLength && c.Cause == backends.CauseLoop && c.Tries == 1 &&
		strings.HasPrefix(c.Text, strings.Repeat("0", 31)) && c.Usage.OutputTokens == 31, "%+v", c)
	loop.MaxTokens = 20
	c = one(t, m, loop)
	assert.Equal(t, c.Finish, backends.FinishLength)
	assert.Check(t, c.Cause == backends.CauseLength && c.Usage.OutputTokens == 20, "%+v", c)
}

func TestContract(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d at a time", n), func(t *testing.T) {
			t.Parallel()
			// Ollama 0.17.4 may keep the turn of a request that was broken off for ever: some are to spare.
			s := serve(t, ollamatest.Options{Parallel: n + 8})
			backendtest.Run(t, openControl(t, Options{Settings: backends.Settings{Concurrency: n, Context: 512}}, s.Host()))
		})
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
	requests := serverstest.Items(5)
	for i := range requests {
		requests[i].Prompt = strings.Repeat("Question: is it so?\nAnswer: it is so because it is.\n\n", 60) + "Question: is it so?\nAnswer:"
	}
	for name, with := range map[string]func(string) (backends.Tokenizer, error){
		"with the vocabulary":    vocabulary(t),
		"without the vocabulary": func(string) (backends.Tokenizer, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			var forced atomic.Int32
			m := openControl(t, Options{Settings: backends.Settings{Concurrency: 1, Context: 1900}, Vocabulary: with},
				smaller(t, s, &forced).URL)
			_, err := m.Plan(t.Context(), backends.Workload{})
			assert.NilError(t, err)
			forced.Store(256)
			all, err := ask(t, m, requests...)
			errortest.Says(t, err, "3 of 3 prompts", "context")
			assert.Check(t, len(all) == 3, "%d items were asked", len(all))
			failed(t, all[requests[0].ID], backends.CauseTruncated, "256")

			_, err = m.Plan(t.Context(), backends.Workload{})
			errortest.Says(t, err, "256", "1900", "OLLAMA_CONTEXT_LENGTH")
		})
	}
}

func TestAPromptThatTheServerRefusesIsNoticed(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	m := openControl(t, Options{Settings: backends.Settings{Concurrency: 1, Context: 64},
		Vocabulary: func(string) (backends.Tokenizer, error) { return nil, nil }}, s.Host())
	requests := serverstest.Items(3)
	for i := range requests {
		requests[i].Prompt = strings.Repeat("too long ", 100)
	}
	all, err := ask(t, m, requests...)
	errortest.Says(t, err, "context")
	failed(t, all[requests[0].ID], backends.CauseTruncated, "exceeds the context length")
}

var used = regexp.MustCompile(`loading cache slot.* used=(\d+) remaining=(\d+)`)

func TestReusedTokensAreThoseThatTheServerReuses(t *testing.T) {
	for _, n := range []int{1, 3} {
		s := serve(t, ollamatest.Options{Parallel: n, Env: []string{"OLLAMA_DEBUG=1"}})
		m := openControl(t, Options{Settings: backends.Settings{Context: 512, Concurrency: n}}, s.Host())
		_, err := m.Plan(t.Context(), backends.Workload{})
		assert.NilError(t, err)
		reckoned, prompts := 0, 0
		for _, c := range everyOne(t, m, serverstest.Items(40), nil) {
			reckoned += c.Usage.ReusedTokens
			prompts += c.Usage.PromptTokens
		}
		reused, whole := 0, 0
		for _, line := range used.FindAllStringSubmatch(s.Log(), -1) {
			from, _ := strconv.Atoi(line[1])
			rest, _ := strconv.Atoi(line[2])
			reused += from
			whole += from + rest
		}
		t.Logf("%d at a time: %d tokens are reckoned to be reused, the server reused %d of %d", n, reckoned, reused, prompts)
		assert.Check(t, whole == prompts, "the server says it read %d tokens, here it is %d", whole, prompts)
		// The first prompts of several at a time find no cache, and each place has its own.
		off := max(reckoned-reused, reused-reckoned)
		assert.Check(t, off == 0 || n > 1 && off <= prompts/20, "%d at a time: reckoned %d, really %d", n, reckoned, reused)
	}
}
