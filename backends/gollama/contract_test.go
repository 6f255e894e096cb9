//go:build gollama

package gollama

import (
	"path/filepath"
	"testing"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/llamacpp/llamatest"
)

// What a single sequence cannot, the contract leaves out by its slots, and what the library lacks by what Info says.
func TestContract(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.gguf")
	err := llamatest.Write(path, llamatest.Model{
		Name: "random", Vocabulary: llamatest.SmallVocabulary(), Seed: 1,
		Shape: llamatest.Shape{Width: 256, Heads: 8, KVHeads: 4, Inner: 256, Layers: 2, Context: 2048},
	})
	if err != nil {
		t.Fatal(err)
	}
	model, err := Open(t.Context(), Options{Path: path, Threads: 1, Model: backends.ModelInfo{Ref: path, Name: "random"}})
	if err != nil {
		t.Fatal(err)
	}
	backendtest.Run(t, model)
}
