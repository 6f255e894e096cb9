package openai

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/ollama/ollamatest"
	"proctor/scripts/tests/errortest"
)

// held is the control model, held by an Ollama with a template.
func held(t *testing.T, by ollamatest.Options, o Options, template string) *Model {
	t.Helper()
	s := ollamatest.New(t, by)
	assert.NilError(t, s.Create(t.Context(), "control", "../embedded/control.gguf", template))
	o.Servers = []string{s.Host()}
	return opened(t, o)
}

func TestContract(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d at a time", n), func(t *testing.T) {
			t.Parallel()
			// Ollama 0.17.4 may keep the turn of a request that was broken off for ever: some are to spare.
			backendtest.Run(t, held(t, ollamatest.Options{Parallel: n + 8},
				Options{Settings: backends.Settings{Concurrency: n}}, "{{ .Prompt }}"))
		})
	}
}

// Ollama cuts a prompt with status 200.
func TestOllamasOwnCutIsFound(t *testing.T) {
	t.Parallel()
	m := held(t, ollamatest.Options{Env: []string{"OLLAMA_CONTEXT_LENGTH=512"}},
		Options{Settings: backends.Settings{Concurrency: 1}}, "")
	a, err := m.Plan(t.Context(), backends.Workload{})
	assert.NilError(t, err)
	assert.Equal(t, a.Context, 512)
	c, err := cut(t, m, backends.Request{Prompt: strings.Repeat("Which of these is true? ", 300), MaxTokens: 8})
	errortest.Says(t, err, "3 of 3 prompts did not fit")
	checkEnd(t, c, backends.FinishError, backends.CauseTruncated, "512")
	info, err := m.Info(t.Context())
	assert.NilError(t, err)
	assert.Assert(t, strings.Contains(strings.Join(info.Notes, " "), "a repeat penalty of 1.1"), info.Notes)
}

// A real llama-server passes the contract, of at least two slots and the control model, where one is named.
func TestLlamaServer(t *testing.T) {
	base := os.Getenv("PROCTOR_LLAMA_SERVER")
	if base == "" {
		t.Skip("PROCTOR_LLAMA_SERVER names no llama-server, as in http://127.0.0.1:8080")
	}
	backendtest.Run(t, opened(t, Options{Base: base, Key: os.Getenv("PROCTOR_LLAMA_SERVER_KEY")}))
}
