package openai

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"proctor/backends"
	"proctor/scripts/tests/errortest"
)

// protocol is a server that speaks nothing but OpenAI's protocol.
func protocol(t *testing.T, complete http.HandlerFunc) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"data":[{"id":"m"}]}`) })
	mux.HandleFunc("/v1/completions", complete)
	mux.HandleFunc("/v1/chat/completions", complete)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func yes(w http.ResponseWriter) {
	events(w, `{"choices":[{"index":0,"text":" yes","finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
}

func refuse(w http.ResponseWriter, status int, words string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"message":%q}}`, words)
}

func at(t *testing.T, o Options, all ...*httptest.Server) *Model {
	t.Helper()
	for _, s := range all {
		o.Servers = append(o.Servers, s.URL)
	}
	m, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestRetryAfterIsHonoured(t *testing.T) {
	for header, want := range map[string]time.Duration{"1": time.Second, "0.4": 400 * time.Millisecond} {
		var asked atomic.Int32
		var refused, again time.Time
		s := protocol(t, func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1) == 1 {
				w.Header().Set("Retry-After", header)
				refused = time.Now()
				refuse(w, http.StatusTooManyRequests, "slow down")
				return
			}
			again = time.Now()
			yes(w)
		})
		c := one(t, at(t, Options{}, s), backends.Request{ID: "1", Prompt: "Question", MaxTokens: 8})
		if c.Text != " yes" || c.Tries != 2 || again.Sub(refused) < want {
			t.Errorf("Retry-After %s: asked again after %v: %+v", header, again.Sub(refused), c)
		}
	}
}

func TestWhatAServerRefusesIsLeftOutAndSaid(t *testing.T) {
	s := protocol(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch text := string(body); {
		case strings.Contains(text, `"seed"`):
			refuse(w, 400, "Unrecognized request argument supplied: seed")
		case strings.Contains(text, `"max_tokens"`):
			refuse(w, 400, "Unsupported parameter: use 'max_completion_tokens' instead")
		default:
			events(w, `{"choices":[{"index":0,"delta":{"reasoning":"so"}}]}`,
				`{"choices":[{"index":0,"delta":{"reasoning_content":" be it"}}]}`,
				`{"choices":[{"index":0,"delta":{"content":"The answer is (B). Question: next"},"finish_reason":null}]}`,
				`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
				`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":4}}}`)
		}
	})
	m := at(t, Options{}, s)
	c := one(t, m, backends.Request{ID: "1", Messages: []backends.Message{{Role: "user", Content: "Which?"}}, MaxTokens: 50})
	if c.Text != "<think>so be it</think>The answer is (B). Question: next" || c.Usage.ReusedTokens != 4 || c.Usage.ThinkingTokens != 0 ||
		c.Tries != 1 || c.Finish != backends.FinishStop {
		t.Errorf("%+v", c)
	}
	info, err := m.Info(t.Context())
	if err != nil || !strings.Contains(strings.Join(info.Notes, " "), "takes no seed") {
		t.Errorf("%q, %v", info.Notes, err)
	}
}

func TestACutIsKnownByTheLengthOfOthersWhereNothingElseTells(t *testing.T) {
	s := protocol(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		events(w, fmt.Sprintf(`{"choices":[{"index":0,"text":" yes","finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":%d,"completion_tokens":2}}`, min(len(body)/4, 600)))
	})
	m := at(t, Options{Concurrency: 1}, s)
	for i := range 10 {
		c := one(t, m, backends.Request{ID: "1", Prompt: strings.Repeat("word ", 300+i), MaxTokens: 8})
		if c.Finish != backends.FinishStop {
			t.Errorf("%+v", c)
		}
	}
	var c backends.Completion
	long := backends.Request{ID: "1", Prompt: strings.Repeat("word ", 2000), MaxTokens: 8}
	err := m.Generate(t.Context(), slices.Values([]backends.Request{long}), func(got backends.Completion) error { c = got; return nil })
	errortest.For(t, "a run whose prompts are cut goes on", err, "1 of 1 prompts did not fit the server's context")
	if c.Cause != backends.CauseTruncated || !strings.Contains(c.Error, "the server read 600 tokens of its 10000 bytes") {
		t.Errorf("%+v", c)
	}
}

func TestSecretsAreInNoError(t *testing.T) {
	const key, password = "sk-very-secret-1", "pa55word"
	s := protocol(t, func(w http.ResponseWriter, r *http.Request) {
		refuse(w, 401, "wrong: "+r.Header.Get("Authorization")+" and "+password)
	})
	base := strings.Replace(s.URL, "http://", "http://me:"+password+"@", 1)
	m, err := Open(t.Context(), Options{Base: base, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	_, planned := m.Plan(t.Context(), backends.Workload{})
	info, _ := m.Info(t.Context())
	c := one(t, m, backends.Request{ID: "1", Prompt: "Question", MaxTokens: 8})
	said := []string{c.Error, fmt.Sprint(planned), fmt.Sprintf("%+v", info)}
	_, listed := Open(t.Context(), Options{Servers: []string{base}})
	_, gone := Open(t.Context(), Options{Base: "http://me:" + password + "@127.0.0.1:1"})
	_, odd := Open(t.Context(), Options{Base: "http://me:" + password + "@127.0.0.1:1/%zz"})
	said = append(said, fmt.Sprint(listed), fmt.Sprint(gone), fmt.Sprint(odd))
	for _, address := range []string{
		"ftp://me:%s@127.0.0.1", "me:%s@127.0.0.1:http", "http://me:%s@", "http://me/%s@127.0.0.1", "http://me:12/%s@127.0.0.1",
		"http://me:12?%s@127.0.0.1", "http://me:12#%s@127.0.0.1", "http://me:%s@127.0.0.1/v1?x", "http://%s@127.0.0.1/v1?x",
		"ftp://%s@127.0.0.1", "mailto:%s@127.0.0.1",
	} {
		address = fmt.Sprintf(address, password)
		for _, o := range []Options{{Base: address}, {Servers: []string{address}}} {
			if _, err := Open(t.Context(), o); err == nil {
				t.Errorf("%s is taken", address)
			} else {
				said = append(said, err.Error())
			}
		}
	}
	for _, text := range said {
		if strings.Contains(text, key) || strings.Contains(text, password) {
			t.Errorf("%q has a secret", text)
		}
	}
	if !strings.Contains(said[0], "status 401") || !strings.Contains(said[1], "OPENAI_API_KEY") {
		t.Errorf("%q", said)
	}
}
