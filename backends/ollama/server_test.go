package ollama

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama/ollamatest"
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
		if all, err := serversAt([]string{text}, newTransport(nil)); err == nil {
			got = all[0].address.String()
		}
		assert.Check(t, got == want, "%q is read as %q, want %q", text, got, want)
	}
	t.Setenv("OLLAMA_HOST", "example.com:99")
	all, err := serversAt(nil, newTransport(nil))
	assert.Check(t, err == nil && all[0].address.Host == "example.com:99", "OLLAMA_HOST: %v, %v", all, err)
	_, err = serversAt([]string{"a", "b:11434", "a:11434"}, newTransport(nil))
	assert.Check(t, err != nil, "a host may be named twice")
}

func TestAPasswordIsInNoError(t *testing.T) {
	for _, host := range []string{
		"me:pa55word@example.com", "http://me:pa55word@example.com", "https://me:pa55word@example.com:8080/x", "ftp://me:pa55word@example.com",
		"me:pa55word@example.com:http", "http://me:pa55/word@example.com", "pa55word@example.com", "me:pa55@word@example.com:99999",
	} {
		t.Setenv("OLLAMA_HOST", host)
		for _, hosts := range [][]string{{host}, nil} {
			all, err := serversAt(hosts, newTransport(nil))
			assert.Check(t, err != nil && !strings.Contains(err.Error(), "pa55") && strings.Contains(err.Error(), "example.com"),
				"%s: %v, %v", host, all, err)
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
	assert.Check(t, seen.Get("Authorization") == "" && len(seen) != 0, "the server saw %v", seen)
}

// control is the model that the tests' servers hold.
const control = "../embedded/control.gguf"

// serve starts a real server that holds the control model.
func serve(t *testing.T, o ollamatest.Options) *ollamatest.Server {
	t.Helper()
	s := ollamatest.New(t, o)
	create(t, s, "control", control, "")
	return s
}

func create(t *testing.T, s *ollamatest.Server, name, file, template string) {
	t.Helper()
	assert.NilError(t, s.Create(t.Context(), name, file, template))
}

// vocabulary opens the control model's own one.
func vocabulary(t *testing.T) func(string) (backends.Tokenizer, error) {
	t.Helper()
	v, err := llamacpp.OpenVocabulary(control, "")
	assert.NilError(t, err)
	t.Cleanup(func() { v.Close() })
	return func(string) (backends.Tokenizer, error) { return v, nil }
}

// openControl opens the control model at hosts, with its vocabulary unless the options say otherwise.
func openControl(t *testing.T, o Options, hosts ...string) *Model {
	t.Helper()
	o.Model, o.Servers = "ollama:control", hosts
	if o.Vocabulary == nil {
		o.Vocabulary = vocabulary(t)
	}
	if o.Threads == 0 {
		o.Threads = 1
	}
	return opened(t, o)
}

func TestMain(m *testing.M) {
	os.Unsetenv("OLLAMA_HOST") // the tests' servers are their own
	os.Exit(m.Run())
}

// A model's parameters, as /api/show gives those of its Modelfile, say how its tokens are to be drawn, if they say a temperature.
func TestAModelfilesSamplingIsTold(t *testing.T) {
	for parameters, want := range map[string]string{
		"": "", "stop      \"<|end|>\"\nnum_ctx 4096\nseed 5": "",
		"stop \"a\"\ntemperature                    0.6\ntop_k 20\ntop_p 0.95\nrepeat_penalty 1": "temperature=0.6, top_k=20, top_p=0.95",
		"temperature 1\nmirostat 2": "temperature=1, mirostat=2",
		"top_k 20":                  "top_k=20, no temperature",
	} {
		f := newFake(t)
		f.show.Parameters = parameters
		own := openFake(t, Options{}, f).Recommended()
		if want == "" {
			assert.Check(t, own == nil, "%q: %v", parameters, own)
			continue
		}
		assert.Assert(t, own != nil, parameters)
		assert.Equal(t, own.String(), want)
		assert.Equal(t, own.By, "the Modelfile")
	}
}
