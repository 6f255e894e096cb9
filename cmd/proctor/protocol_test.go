package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// protocolServer speaks OpenAI's protocol, and nothing else, for the model "m", whose every answer is A. It remembers the keys that it
// was sent.
type protocolServer struct {
	*httptest.Server
	mutex    sync.Mutex
	requests int
	keys     []string
}

func newProtocolServer() *protocolServer {
	s := &protocolServer{}
	s.Server = httptest.NewServer(s)
	return s
}

// Host is where it listens, as --servers takes it.
func (s *protocolServer) Host() string { return strings.TrimPrefix(s.URL, "http://") }

// Heard are how many requests came so far, and the keys among them.
func (s *protocolServer) Heard() (requests int, keys []string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.requests, s.keys
}

func (s *protocolServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	s.requests++
	if key := r.Header.Get("Authorization"); key != "" {
		s.keys = append(s.keys, key)
	}
	s.mutex.Unlock()
	event := ""
	switch r.URL.Path {
	case "/v1/models":
		io.WriteString(w, `{"data":[{"id":"m"}]}`)
		return
	case "/v1/completions":
		event = `"text":" The answer is (A).","finish_reason":"stop"`
	case "/v1/chat/completions":
		event = `"delta":{"content":"The answer is (A)."},"finish_reason":"stop"`
	default:
		http.NotFound(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,%s}],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":6}}\n\ndata: [DONE]\n\n",
		event, len(body)/4)
}
