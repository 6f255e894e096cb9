package openai

import (
	"fmt"
	"testing"
	"time"

	"proctor/backends/backendtest"
	"proctor/backends/ollama/ollamatest"
	"proctor/backends/servers"
)

// control is the model that the test's server holds.
const control = "../embedded/control.gguf"

func TestContract(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d at a time", n), func(t *testing.T) {
			// Ollama 0.17.4 may keep the turn of a request that was broken off for ever: some are to spare.
			server := ollamatest.New(t, ollamatest.Options{Parallel: n + 3})
			if err := server.Create(t.Context(), "control", control, "{{ .Prompt }}"); err != nil {
				t.Fatal(err)
			}
			model, err := Open(t.Context(), Options{Servers: []string{server.Host()}, Concurrency: n,
				Asking: servers.Asking{Silence: 15 * time.Second}})
			if err != nil {
				t.Fatal(err)
			}
			backendtest.Run(t, model)
		})
	}
}
