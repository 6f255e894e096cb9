package ollama

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/servers"
)

func TestAHostIsReadAsOllamaReadsIt(t *testing.T) {
	for text, want := range map[string]string{
		"example.com": "http://example.com:11434", "example.com:1234": "http://example.com:1234",
		"http://example.com": "http://example.com:80", "https://example.com": "https://example.com:443",
		"https://example.com/x": "https://example.com:443/x", " 10.0.0.1 ": "http://10.0.0.1:11434",
		"[::1]": "http://[::1]:11434", "[::1]:8080": "http://[::1]:8080",
		// Those that are no hosts, and the one that asks for a key:
		"": "", "ftp://example.com": "", "example.com:http": "", "example.com:70000": "", "user:word@example.com": "",
		"ollama.com": "", "https://ollama.com": "",
	} {
		got := ""
		if all, err := addresses([]string{text}); err == nil {
			got = all[0].String()
		}
		if got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
	t.Setenv("OLLAMA_HOST", "example.com:99")
	if all, err := addresses(nil); err != nil || all[0].Host != "example.com:99" {
		t.Errorf("OLLAMA_HOST: %v, %v", all, err)
	}
	if _, err := addresses([]string{"a", "b:11434", "a:11434"}); err == nil {
		t.Error("a host may be named twice")
	}
}

func TestAPasswordIsInNoError(t *testing.T) {
	for _, host := range []string{
		"me:pa55word@example.com", "http://me:pa55word@example.com", "https://me:pa55word@example.com:8080/x", "ftp://me:pa55word@example.com",
		"me:pa55word@example.com:http", "http://me:pa55/word@example.com", "pa55word@example.com", "me:pa55@word@example.com:99999",
	} {
		t.Setenv("OLLAMA_HOST", host)
		for _, hosts := range [][]string{{host}, nil} {
			all, err := hostsAt(hosts, newTransport(nil))
			if err == nil || strings.Contains(err.Error(), "pa55") || !strings.Contains(err.Error(), "example.com") {
				t.Errorf("%s: %v, %v", host, all, err)
			}
		}
	}
}

func TestNoCredentialsAreSent(t *testing.T) {
	seen := http.Header{}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
	t.Cleanup(s.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	assert.NilError(t, err)
	r.Header.Set("Authorization", "Bearer secret")
	response, err := servers.Client(newTransport(nil)).Do(r)
	assert.NilError(t, err)
	response.Body.Close()
	if seen.Get("Authorization") != "" || len(seen) == 0 {
		t.Errorf("the server saw %v", seen)
	}
}
