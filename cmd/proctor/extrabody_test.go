package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestAnExtraBodyIsSentAndItsSecretsAreNowhere runs against a server of the protocol, goes on with the run, and looks at all that is
// left of it.
func TestAnExtraBodyIsSentAndItsSecretsAreNowhere(t *testing.T) {
	var mu sync.Mutex
	var lacking []string
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"data":[{"id":"m"}]}`) })
	mux.HandleFunc("/v1/completions", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		mu.Lock()
		if body["reasoning_effort"] != "low" || body["api_key"] != "sk-private" || body["max_tokens"] == nil {
			lacking = append(lacking, fmt.Sprint(body))
		}
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"index":0,"text":" The answer is (B).","finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":9,"completion_tokens":7}}`+"\n\ndata: [DONE]\n\n")
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	folder := t.TempDir()
	file, out := filepath.Join(folder, "body.json"), filepath.Join(folder, "run")
	if err := os.WriteFile(file, []byte(`{"reasoning_effort":"low","api_key":"sk-private"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := []string{"--servers", server.URL, "--extra-body", "@" + file}
	text := run(t, append([]string{"run", "--model", "openai:m", "--limit", "14", "--full", "--concurrency", "1",
		"--out", out}, asked...)...)
	if want := `extra body {"api_key":"[secret]","reasoning_effort":"low"}`; !strings.Contains(string(text), want) {
		t.Errorf("the report does not say %q:\n%s", want, text)
	}
	run(t, append([]string{"run", "--resume", out, "--limit", "16", "--quiet"}, asked...)...)
	if items := len(loaded(t, out).Records); items != 16 {
		t.Errorf("%d items", items)
	}
	if len(lacking) > 0 {
		t.Errorf("%d requests lack a field: %s", len(lacking), lacking[0])
	}
	err := filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte("sk-private")) {
			t.Errorf("%s has the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
