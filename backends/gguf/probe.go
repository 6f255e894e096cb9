package gguf

import (
	"fmt"
	"slices"
)

// Probe is a file that has the architecture and the types of tensors of f, and next to nothing else. A program that cannot read it
// cannot read f either, and says so at once, however large f is.
func (f *File) Probe() []byte {
	var types []Type
	for _, t := range f.Types() {
		types = append(types, t.Type)
	}
	return ProbeOf(f.Architecture(), types...)
}

// ProbeOf is a file with a model of this architecture, and a tensor of one block of each type.
func ProbeOf(architecture string, types ...Type) []byte {
	var w Writer
	w.Text("general.architecture", architecture)
	slices.Sort(types)
	for _, t := range types {
		w.Tensor(fmt.Sprintf("probe.%d", t), t, int(layouts[t].bytes), uint64(layouts[t].block))
	}
	return append(w.Header(), make([]byte, w.size)...)
}
