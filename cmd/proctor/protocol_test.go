package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

// protocolServer speaks OpenAI's protocol, and nothing else, for the model "m", which always answers A. It refuses requests with the stop
// string "refused", repeats the prompts of those with "echoed", and thinks even if told not to. Each request's path, key and body go to
// heard.
type protocolServer struct{ heard io.Writer }

// listen starts a server at $SERVER that writes the requests to the file "heard", one per line.
func listen(ts *testscript.TestScript, _ []string) {
	log, err := os.OpenFile(ts.MkAbs("heard"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	ts.Check(err)
	s := httptest.NewServer(protocolServer{log})
	ts.Defer(func() { s.Close(); log.Close() })
	ts.Setenv("SERVER", strings.TrimPrefix(s.URL, "http://")) // as for --servers
}

func (s protocolServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(s.heard, "%s %s %s\n", r.URL.Path, r.Header.Get("Authorization"), bytes.TrimSpace(body))
	var event string
	switch r.URL.Path {
	case "/v1/models":
		io.WriteString(w, `{"data":[{"id":"m"}]}`)
		return
	case "/v1/completions":
		event = `"text":" The answer is (A).","finish_reason":"stop"`
		if strings.Contains(string(body), `"echoed"`) {
			event = fmt.Sprintf(`"text":%s,"finish_reason":"stop"`, gjson.GetBytes(body, "prompt").Raw)
		}
	case "/v1/chat/completions":
		event = `"delta":{"content":"The answer is (A)."},"finish_reason":"stop"`
		if strings.Contains(string(body), `"enable_thinking":false`) {
			event = strings.Replace(event, `{`, `{"reasoning_content":"Hm.",`, 1)
		}
	default:
		http.NotFound(w, r)
		return
	}
	if strings.Contains(string(body), `"refused"`) {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,%s}],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":6}}\n\ndata: [DONE]\n\n",
		event, len(body)/4)
}
