package kernelstest

// #include "operations.h"
// #include "scalar.h"
import "C"

import (
	"cmp"
	"fmt"
	"runtime"
	"unsafe"

	"proctor/backends/llamacpp/kernels"
)

// Attention is that of tokens to the cells of a cache, of several streams that have nothing to do with each other. The result is
// streams × tokens × heads × height.
type Attention struct {
	Type                   Type // of keys and values
	Width, Height          int  // of keys and of values
	Heads, Shared          int  // of queries, and of keys and values
	Tokens, Cells, Streams int
	Scale, Bias, Cap       float32

	Query      []float32 // streams × heads × tokens × width
	Key, Value []byte    // streams × cells × shared × width or height, or of all that the cache has
	Mask       []uint16  // streams × tokens × cells, halves; nil: none
	Sinks      []float32 // of the heads; nil: none

	Ours          bool    // computed by package kernels
	Group, Length []int32 // what the streams share, as in kernels.Threads.Share; nil: nothing
	First, Cached int     // the first stream's number in the cache, and how many that has; 0: those that are attended
	Rotated       kernels.Rotation
	Copied        bool // keys and values are no view of the cache, and Key and Value have the streams that are attended
}

func (a Attention) forC(pins *runtime.Pinner) operation {
	c := a.shape()
	c.query, c.mask, c.sinks = floats(pins, a.Query), (*C.uint16_t)(pinned(pins, a.Mask)), floats(pins, a.Sinks)
	c.key, c.value = unsafe.Pointer(pinned(pins, a.Key)), unsafe.Pointer(pinned(pins, a.Value))
	return operation{
		name: fmt.Sprintf("the attention of %d tokens to %d cells", a.Tokens, a.Cells), size: a.Streams * a.Tokens * a.Heads * a.Height,
		ours: a.Ours, group: a.Group, length: a.Length, rotated: a.Rotated,
		compute: func(on run, to *C.float) C.bool { return C.proctor_attend(c, on.pool, on.threads, on.times, to) },
		scalar:  func(to *C.float) { C.proctor_scalar_attend(c, to) },
	}
}

// WorkSize is how many bytes ggml sets aside for the attention, whoever computes it. It needs no values.
func (a Attention) WorkSize(threads int) int {
	return int(C.proctor_attention_work_size(a.shape(), C.int(threads)))
}

func (a Attention) shape() C.proctor_attention {
	return C.proctor_attention{
		_type: C.enum_ggml_type(a.Type), width: C.int64_t(a.Width), height: C.int64_t(a.Height),
		heads: C.int64_t(a.Heads), shared: C.int64_t(a.Shared),
		tokens: C.int64_t(a.Tokens), cells: C.int64_t(a.Cells), streams: C.int64_t(a.Streams),
		first: C.int64_t(a.First), cached: C.int64_t(cmp.Or(a.Cached, a.Streams)), copied: C.bool(a.Copied),
		scale: C.float(a.Scale), bias: C.float(a.Bias), cap: C.float(a.Cap),
	}
}
