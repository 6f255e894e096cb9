package gguf

import (
	"bytes"
	"encoding/binary"
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
	var file bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if text, is := v.(string); is {
				_ = binary.Write(&file, binary.LittleEndian, uint64(len(text)))
				v = []byte(text)
			}
			_ = binary.Write(&file, binary.LittleEndian, v) // a buffer takes everything
		}
	}
	slices.Sort(types)
	file.WriteString("GGUF")
	put(uint32(3), uint64(len(types)), uint64(1), "general.architecture", typeString, architecture)
	size := 0
	for _, t := range types {
		put(fmt.Sprintf("probe.%d", t), uint32(1), uint64(layouts[t].block), uint32(t), uint64(size))
		size += aligned(int(layouts[t].bytes))
	}
	file.Write(make([]byte, aligned(file.Len())-file.Len()+size))
	return file.Bytes()
}

// aligned is the next place for a tensor.
func aligned(at int) int { return (at + defaultAlignment - 1) / defaultAlignment * defaultAlignment }
