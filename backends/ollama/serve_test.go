package ollama

import (
	"fmt"
	"os"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama/ollamatest"
)

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
	o.Name, o.Hosts = "control", hosts
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

// items are n requests that share a beginning.
func items(n int) (requests []backends.Request) {
	for i := range n {
		requests = append(requests, backends.Request{
			ID: fmt.Sprintf("item/%d", i), MaxTokens: 12,
			Prompt: fmt.Sprintf("Answer the following questions.\n\nQuestion:\nWhich of these is number %d?\nOptions:\nA. one\nB. "+
				"%d\nAnswer: Let's think step by step.", i, i),
			Stop: []string{"Question:"},
		})
	}
	return requests
}
