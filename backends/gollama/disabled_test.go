//go:build !gollama

package gollama

import (
	"strings"
	"testing"

	"proctor/backends/llamacpp/llamatest"
)

func TestWithoutTheLibraryItSaysHowToBuildIt(t *testing.T) {
	sound := written(t, func(*llamatest.Model) {})
	newer := written(t, func(m *llamatest.Model) { m.Architecture = llamatest.Qwen3 })
	for path, want := range map[string]string{
		sound.Path: "built without go-llama.cpp: `make gollama LLAMA_CPP=FOLDER` builds bin/proctor-gollama",
		newer.Path: "architecture qwen3", "none.gguf": "no such file",
	} {
		if _, err := Open(t.Context(), Options{Path: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
