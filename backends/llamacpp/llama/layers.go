package llama

// #include "layers.h"
import "C"

import "proctor/backends/llamacpp/engine"

// Cache is what the model keeps of each sequence's tokens.
func (m *Model) Cache() engine.Cache {
	c := engine.Cache{
		Layers: make([]engine.Layer, C.llama_model_n_layer(m.c)), Window: int(C.llama_model_n_swa(m.c)),
		Hybrid: bool(C.llama_model_is_hybrid(m.c)),
	}
	for i := range c.Layers {
		l := C.proctor_model_layer(m.c, C.int32_t(i))
		c.Layers[i] = engine.Layer{State: int(l.state), Attends: bool(l.attends), Windowed: bool(l.window)}
	}
	return c
}

// Recurrent says whether the model's memory is a state instead of a cache of tokens, or beside one, so that it cannot be cut back
// to a prefix.
func (m *Model) Recurrent() bool {
	return bool(C.llama_model_is_recurrent(m.c)) || bool(C.llama_model_is_hybrid(m.c))
}
