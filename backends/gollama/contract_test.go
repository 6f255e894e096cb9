//go:build gollama

package gollama

import (
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/llamacpp/llamatest"
)

// What a single sequence cannot, the contract leaves out by its slots, and what the library lacks by what Info says.
func TestContract(t *testing.T) {
	path := written(t, func(m *llamatest.Model) {
		m.Shape = llamatest.Shape{Width: 256, Heads: 8, KVHeads: 4, Inner: 256, Layers: 2, Context: 2048}
	}).Path
	model, err := Open(t.Context(), Options{Path: path, Settings: backends.Settings{Threads: 1},
		Info: backends.ModelInfo{Ref: path, Name: "random"}})
	assert.NilError(t, err)
	backendtest.Run(t, model)
}
