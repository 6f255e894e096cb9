package gguf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// A Writer makes the header of a file. The tensors' data follow it in their order, each filled up to a multiple of 32.
type Writer struct {
	values, tensors bytes.Buffer
	keys, names     uint64
	size            int // of the data
}

// Aligned rounds an offset up to where a tensor's data may begin.
func Aligned(at int) int { return (at + defaultAlignment - 1) / defaultAlignment * defaultAlignment }

// put appends numbers, and texts behind their length.
func put(to *bytes.Buffer, values ...any) {
	for _, v := range values {
		if text, is := v.(string); is {
			_ = binary.Write(to, binary.LittleEndian, uint64(len(text)))
			v = []byte(text)
		}
		_ = binary.Write(to, binary.LittleEndian, v) // a buffer takes everything
	}
}

// Text adds a key that holds a text.
func (w *Writer) Text(key, value string) {
	w.keys++
	put(&w.values, key, typeString, value)
}

// Texts adds a key that holds a list with one text.
func (w *Writer) Texts(key, value string) {
	w.keys++
	put(&w.values, key, typeArray, typeString, uint64(1), value)
}

// Uint32 adds a key that holds a number.
func (w *Writer) Uint32(key string, n uint32) {
	w.keys++
	put(&w.values, key, typeUint32, n)
}

// Tensor adds a tensor. Its data has the given number of bytes.
func (w *Writer) Tensor(name string, kind Type, bytes int, shape ...uint64) {
	w.names++
	put(&w.tensors, name, uint32(len(shape)), shape, uint32(kind), uint64(w.size))
	w.size += Aligned(bytes)
}

// Header is all that stands before the data.
func (w *Writer) Header() []byte {
	var head bytes.Buffer
	head.WriteString("GGUF")
	put(&head, uint32(3), w.names, w.keys, w.values.Bytes(), w.tensors.Bytes())
	head.Write(make([]byte, Aligned(head.Len())-head.Len()))
	return head.Bytes()
}

// Probe is a file that has the architecture and the types of tensors of f, and next to nothing else but a pre-tokenizer, unless that is "".
// A program that cannot read it cannot read f either, and says so at once, however large f is.
func (f *File) Probe(pre string) []byte {
	var types []Type
	for _, t := range f.Types() {
		types = append(types, t.Type)
	}
	return ProbeOf(f.Architecture(), pre, types...)
}

// ProbeOf is a file with a model of this architecture, a vocabulary of one token with this pre-tokenizer unless that is "", and a tensor
// of one block of each type.
func ProbeOf(architecture, pre string, types ...Type) []byte {
	var w Writer
	w.Text("general.architecture", architecture)
	if pre != "" {
		w.Text(vocabularyKey, bytePairs)
		w.Text(preTokenizerKey, pre)
		w.Texts(tokensKey, "\u010a") // a line's end, which llama.cpp looks for
		w.Texts("tokenizer.ggml.merges", "a b")
		w.Uint32("tokenizer.ggml.bos_token_id", 0)
		w.Uint32("tokenizer.ggml.eos_token_id", 0)
	}
	slices.Sort(types)
	for _, t := range types {
		w.Tensor(fmt.Sprintf("probe.%d", t), t, int(layouts[t].bytes), uint64(layouts[t].block))
	}
	return append(w.Header(), make([]byte, w.size)...)
}
