//go:build !cgo

package kernels

import "unsafe"

// levels are none: all of them are C++.
func levels(bool) []level { return nil }

func (level) install() {}

// Load calls load.
func Load(_ bool, _ []int, load func()) { load() }

// Packs says that no matrix is packed.
func Packs(uint32, int64, int64) bool { return false }

// Threads are none that compute with a kernel.
type Threads struct{}

// Attach leaves everything to ggml.
func Attach(unsafe.Pointer, string) Threads { return Threads{} }

// Detach has nothing to undo.
func (Threads) Detach() {}

// Prompts is nothing to ggml.
func (Threads) Prompts(bool) {}

// Share is nothing to ggml.
func (Threads) Share(_, _ []int32) {}
