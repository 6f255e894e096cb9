package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/servers/serverstest"
)

// A fake answers as servers of OpenAI's protocol do; the real ones cannot be had everywhere.
type fake struct {
	said    map[string]string                                // what it says, by path
	replies map[string]func(body map[string]any) any         // what it makes of a request
	answer  func(w http.ResponseWriter, body map[string]any) // a request for an answer
	lacking string                                           // its words where it has nothing

	mu     sync.Mutex
	bodies []map[string]any // of the requests for answers
	key    string           // of the last request
}

// lastKey returns the key of the last request. It locks, since other requests may still be on their way.
func (f *fake) lastKey() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.key
}

// newFake speaks nothing but the protocol.
func newFake(answer func(http.ResponseWriter, map[string]any)) *fake {
	return &fake{said: map[string]string{"/v1/models": `{"data":[{"id":"m"}]}`}, answer: answer}
}

// ServeHTTP implements [http.Handler].
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	json.NewDecoder(r.Body).Decode(&body)
	completing := strings.HasSuffix(r.URL.Path, "/completions")
	f.mu.Lock()
	f.key = r.Header.Get("Authorization")
	if completing {
		f.bodies = append(f.bodies, body)
	}
	f.mu.Unlock()
	switch said, reply := f.said[r.URL.Path], f.replies[r.URL.Path]; {
	case completing:
		f.answer(w, body)
	case said != "":
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, said)
	case reply != nil:
		json.NewEncoder(w).Encode(reply(body))
	default:
		refuse(w, http.StatusNotFound, f.lacking)
	}
}

// last is the last request for an answer.
func (f *fake) last() map[string]any { return f.bodies[len(f.bodies)-1] }

// saying sends the events of an answer.
func saying(lines ...string) func(http.ResponseWriter, map[string]any) {
	return func(w http.ResponseWriter, _ map[string]any) { events(w, lines...) }
}

func events(w http.ResponseWriter, lines ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, line := range append(lines, "[DONE]") {
		fmt.Fprintf(w, "data: %s\n\n", line)
	}
}

func yes(w http.ResponseWriter, _ map[string]any) {
	events(w, `{"choices":[{"index":0,"text":" yes","finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
}

func refuse(w http.ResponseWriter, status int, words string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"message":%q}}`, words)
}

// at is the model of fakes.
func at(t *testing.T, o Options, all ...*fake) *Model {
	t.Helper()
	n := &serverstest.Network{}
	for i, f := range all {
		host := fmt.Sprintf("fake%d:80", i)
		n.Serve(t, host, f)
		o.Servers = append(o.Servers, host)
	}
	o.Transport = n.Transport()
	return opened(t, o)
}

func opened(t *testing.T, o Options) *Model {
	t.Helper()
	m, err := Open(t.Context(), o)
	assert.NilError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

var (
	question     = backends.Request{ID: "1", Prompt: "Question", MaxTokens: 8}
	conversation = []backends.Message{{Role: "user", Content: "Which?"}}
)

func one(t *testing.T, m *Model, r backends.Request) (only backends.Completion) {
	t.Helper()
	r.ID = cmp.Or(r.ID, "1")
	return backendtest.Answers(t, m, []backends.Request{r}, nil)[r.ID]
}

// checkEnd demands how an answer ended, and words of its text, or of its error where it failed.
func checkEnd(t *testing.T, c backends.Completion, finish backends.Finish, cause backends.Cause, words string) {
	t.Helper()
	text := c.Text
	if c.Finish == backends.FinishError {
		text = c.Error
	}
	if failed := c.Finish == backends.FinishError; c.Finish != finish || c.Cause != cause || !strings.Contains(text, words) ||
		failed && c.Text != "" || strings.Contains(c.Error, "\n") {
		t.Errorf("%+v; want finish %q, cause %q, %q", c, finish, cause, words)
	}
}
