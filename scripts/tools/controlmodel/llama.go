package main

// A very small model of the llama architecture (RMSNorm, rotary positions on neighbouring pairs, SwiGLU, causal attention with heads
// of 32) is trained on the CPU, in 32-bit floats, with hand-written gradients. It is one flat array of parameters; a Workspace runs
// one sequence at a time, forward and backward. Workspaces share nothing, so several run in parallel; the caller sums their
// gradients. The kernels are C with vector extensions: kernels.c (products), attention.c, model.c.

/*
#cgo CFLAGS: -O3 -march=native -std=gnu11 -Wno-psabi
#cgo LDFLAGS: -lm
#include "model.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Shape is the architecture; Vocab, Width and Hidden are multiples of 32.
type Shape struct {
	Vocab, Width, Layers, Hidden int
	RopeBase, Epsilon            float32
}

// HeadWidth is the width of an attention head.
const HeadWidth = C.HEAD

func (s Shape) c() C.shape {
	return C.shape{C.int(s.Vocab), C.int(s.Width), C.int(s.Layers), C.int(s.Hidden), C.float(s.RopeBase), C.float(s.Epsilon)}
}

// Parameters counts the model's floats.
func (s Shape) Parameters() int {
	shape := s.c()
	return int(C.parameters(&shape))
}

// Tensor is a named part of the flat parameter array, rows × columns (columns 1 means a vector of Rows).
type Tensor struct {
	Name          string // as GGUF names it
	From          int
	Rows, Columns int
}

// Len is the number of floats.
func (t Tensor) Len() int { return t.Rows * t.Columns }

// Tensors lists all parts in order; together they cover the array.
func (s Shape) Tensors() []Tensor {
	var list []Tensor
	at := 0
	add := func(name string, rows, columns int) {
		list = append(list, Tensor{name, at, rows, columns})
		at += rows * columns
	}
	add("token_embd.weight", s.Vocab, s.Width)
	for i := range s.Layers {
		block := func(name string) string { return fmt.Sprintf("blk.%d.%s.weight", i, name) }
		add(block("attn_norm"), s.Width, 1)
		add(block("attn_q"), s.Width, s.Width)
		add(block("attn_k"), s.Width, s.Width)
		add(block("attn_v"), s.Width, s.Width)
		add(block("attn_output"), s.Width, s.Width)
		add(block("ffn_norm"), s.Width, 1)
		add(block("ffn_gate"), s.Hidden, s.Width)
		add(block("ffn_up"), s.Hidden, s.Width)
		add(block("ffn_down"), s.Width, s.Hidden)
	}
	add("output_norm.weight", s.Width, 1)
	add("output.weight", s.Vocab, s.Width)
	return list
}

// Sequence is one training example, or several in a row that do not see each other: number i ends before token Ends[i]
// (nil means a single one). Weights[i] weighs the prediction of Targets[i] at row Rows[i].
type Sequence struct {
	Tokens, Positions []int32
	Ends              []int32
	Rows, Targets     []int32
	Weights           []float32
}

// Join puts sequences in a row.
func Join(list []Sequence) Sequence {
	var all Sequence
	for _, s := range list {
		from := int32(len(all.Tokens))
		all.Tokens = append(all.Tokens, s.Tokens...)
		all.Positions = append(all.Positions, s.Positions...)
		all.Targets = append(all.Targets, s.Targets...)
		all.Weights = append(all.Weights, s.Weights...)
		for _, row := range s.Rows {
			all.Rows = append(all.Rows, from+row)
		}
		for _, end := range s.ends() {
			all.Ends = append(all.Ends, from+end)
		}
	}
	return all
}

func (s Sequence) ends() []int32 {
	if s.Ends == nil {
		return []int32{int32(len(s.Tokens))}
	}
	return s.Ends
}

// Workspace holds the activations of one sequence. Not safe for concurrent use.
type Workspace struct {
	c        *C.workspace
	shape    Shape
	capacity int
}

// NewWorkspace has room for sequences of up to capacity tokens.
func NewWorkspace(s Shape, capacity int) *Workspace {
	return &Workspace{c: C.workspace_new(s.c(), C.int(capacity)), shape: s, capacity: capacity}
}

// Close frees the activations; safe to call twice.
func (w *Workspace) Close() {
	if w.c != nil {
		C.workspace_free(w.c)
		w.c = nil
	}
}

// Train adds the gradient of the weighted loss to grads and returns the loss in nats.
func (w *Workspace) Train(params, grads []float32, s Sequence) float64 {
	w.forward(params, s)
	total, ends := C.loss(
		w.c, floats(params), floats(grads), C.int(len(s.Tokens)),
		C.int(len(s.Rows)), ints(s.Rows), ints(s.Targets), floats(s.Weights),
	), s.ends()
	C.backward(w.c, floats(params), floats(grads), C.int(len(s.Tokens)), ints(s.Tokens), C.int(len(ends)), ints(ends))
	return float64(total)
}

func (w *Workspace) forward(params []float32, s Sequence) {
	if n := len(s.Tokens); n > w.capacity {
		w.Close()
		*w = *NewWorkspace(w.shape, n)
	}
	ends := s.ends()
	C.forward(w.c, floats(params), C.int(len(s.Tokens)), ints(s.Tokens), ints(s.Positions), C.int(len(ends)), ints(ends))
}

// Next runs the tokens at positions 0, 1, … and returns the logits of what follows them.
func (w *Workspace) Next(params []float32, tokens []int32) []float32 {
	positions := make([]int32, len(tokens))
	for i := range positions {
		positions[i] = int32(i)
	}
	w.forward(params, Sequence{Tokens: tokens, Positions: positions})
	logits := make([]float32, w.shape.Vocab)
	C.last_logits(w.c, floats(params), C.int(len(tokens)), floats(logits))
	return logits
}

func floats(x []float32) *C.float { return (*C.float)(unsafe.Pointer(unsafe.SliceData(x))) }
func ints(x []int32) *C.int       { return (*C.int)(unsafe.Pointer(unsafe.SliceData(x))) }
