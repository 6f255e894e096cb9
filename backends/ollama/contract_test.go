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
			s := serve(t, ollamatest.Options{Parallel: n})
			backendtest.Run(t, openControl(t, Options{Concurrency: n, Context: 512}, s.Host()))
		})
	}
}
