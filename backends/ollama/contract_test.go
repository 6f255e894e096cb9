package ollama

import (
	"fmt"
	"testing"

	"proctor/backends/backendtest"
	"proctor/backends/ollama/ollamatest"
)

func TestContract(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d at a time", n), func(t *testing.T) {
			// Ollama 0.17.4 may keep the turn of a request that was broken off for ever: some are to spare.
			s := serve(t, ollamatest.Options{Parallel: n + 3})
			backendtest.Run(t, openControl(t, Options{Concurrency: n, Context: 512}, s.Host()))
		})
	}
}
