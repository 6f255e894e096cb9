package llama

// #include "layers.h"
import "C"

import "proctor/backends/llamacpp/engine"

// A Layer is what one keeps of a sequence's tokens.
type Layer struct {
	State    int  // numbers of a state, as 32-bit floats
	Attends  bool // it has a cache of keys and values
	Windowed bool // and looks back through a sliding window only
}

// Layer returns what a layer keeps.
func (m *Model) Layer(i int) Layer {
	l := C.proctor_model_layer(m.c, C.int32_t(i))
	return Layer{State: int(l.state), Attends: bool(l.attends), Windowed: bool(l.window)}
}

// Windowed says whether some layers look back through a sliding window only.
func (m *Model) Windowed() bool { return m.window() > 0 }

func (m *Model) window() int { return int(C.llama_model_n_swa(m.c)) }

// WindowCells is how many tokens the cache of each sequence has room for in layers with a sliding window.
func (m *Model) WindowCells(s engine.Settings) int {
	if !s.KVWindowed {
		return m.Cells(s)
	}
	return roundUp(min(s.Context, m.window()+s.Microbatch), cellStep)
}
