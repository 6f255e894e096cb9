//go:build !gollama

package gollama

import (
	"testing"

	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
)

func TestWithoutTheLibraryItSaysHowToBuildIt(t *testing.T) {
	sound := written(t, func(*llamatest.Model) {})
	newer := written(t, func(m *llamatest.Model) { m.Architecture = llamatest.Qwen3 })
	for path, want := range map[string]string{
		sound.Path: "built without go-llama.cpp: `make gollama LLAMA_CPP=FOLDER` builds bin/proctor-gollama",
		newer.Path: "architecture qwen3", "none.gguf": "no such file",
	} {
		_, err := Open(t.Context(), Options{Path: path})
		errortest.Says(t, err, want)
	}
}
