package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"proctor/backends"
)

// TestALateServerWithASmallerContextGetsNoItems has a server come while the run goes on.
func TestALateServerWithASmallerContextGetsNoItems(t *testing.T) {
	var asked atomic.Int32
	holding := func(context int, complete http.HandlerFunc) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("/v1/models", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"data":[{"id":"m"}]}`) })
		mux.HandleFunc("/props", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"total_slots":2,"default_generation_settings":{"n_ctx":%d}}`, context)
		})
		mux.HandleFunc("/v1/completions", complete)
		return mux
	}
	early := httptest.NewServer(holding(4096, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(20 * time.Millisecond)
		yes(w)
	}))
	t.Cleanup(early.Close)
	place, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := place.Addr().String()
	place.Close()
	m, err := Open(t.Context(), Options{Servers: []string{early.URL, address}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
		t.Fatal(err)
	}
	seen := make(chan bool, 100)
	askAnd(t, m, items(100), 2, func() {
		place, err := net.Listen("tcp", address)
		if err != nil {
			t.Skip(err) // somebody took the port
		}
		late := httptest.NewUnstartedServer(holding(512, func(w http.ResponseWriter, r *http.Request) {
			if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "Which of these?") {
				seen <- true
			} else {
				asked.Add(1)
			}
			events(w, `{"choices":[{"index":0,"text":" no","finish_reason":"length"}],"usage":{"prompt_tokens":512,"completion_tokens":1}}`)
		}))
		late.Listener = place
		late.Start()
		t.Cleanup(late.Close)
	})
	if n := asked.Load(); n > 0 || len(seen) == 0 {
		t.Errorf("the late server got %d items, and was met %d times", n, len(seen))
	}
}

// TestADensePromptIsNotCalledCut asks prompts of digits, each of them a token, and then one of words.
func TestADensePromptIsNotCalledCut(t *testing.T) {
	var mu sync.Mutex
	asked := 0
	s := protocol(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Prompt string }
		json.NewDecoder(r.Body).Decode(&body)
		digits := strings.Count(body.Prompt, "7")
		mu.Lock()
		asked++
		mu.Unlock()
		events(w, fmt.Sprintf(`{"choices":[{"index":0,"text":" yes","finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":%d,"completion_tokens":2}}`, digits+(len(body.Prompt)-digits)/6))
	})
	var requests []backends.Request
	for i := range 10 {
		requests = append(requests, backends.Request{ID: fmt.Sprint(i), Prompt: strings.Repeat("7", 1000), MaxTokens: 8})
	}
	for i := range 3 {
		requests = append(requests, backends.Request{ID: fmt.Sprint("words", i), Prompt: strings.Repeat("words ", 2000), MaxTokens: 8})
	}
	askAnd(t, at(t, Options{Concurrency: 1}, s), requests, 0, nil)
	if asked < 14 || asked > 16 {
		t.Errorf("%d requests for 13 items", asked)
	}
}
