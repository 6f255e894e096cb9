// Package kernelstest computes single operations with ggml's CPU backend, and counts what C has allocated, for the tests and
// benchmarks of package kernels and of the program: Go's tests cannot call C themselves.
package kernelstest

// #cgo CPPFLAGS: -I${SRCDIR}/../../builtin/include/ggml -I${SRCDIR}/../../builtin/include/ggml-src
// #cgo CPPFLAGS: -I${SRCDIR}/../../builtin/include/ggml-src/ggml-cpu -DNDEBUG
// #cgo CXXFLAGS: -std=c++17
// #cgo linux CPPFLAGS: -D_GNU_SOURCE
// #include <stdlib.h>
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

// Type is how a tensor's values are stored.
type Type C.enum_ggml_type

// Types of tensors.
const (
	F32  Type = C.GGML_TYPE_F32
	F16  Type = C.GGML_TYPE_F16
	BF16 Type = C.GGML_TYPE_BF16
	Q4_0 Type = C.GGML_TYPE_Q4_0
	Q4_1 Type = C.GGML_TYPE_Q4_1
	Q5_0 Type = C.GGML_TYPE_Q5_0
	Q5_1 Type = C.GGML_TYPE_Q5_1
	Q8_0 Type = C.GGML_TYPE_Q8_0
	Q2_K Type = C.GGML_TYPE_Q2_K
	Q3_K Type = C.GGML_TYPE_Q3_K
	Q4_K Type = C.GGML_TYPE_Q4_K
	Q5_K Type = C.GGML_TYPE_Q5_K
	Q6_K Type = C.GGML_TYPE_Q6_K

	IQ4_NL Type = C.GGML_TYPE_IQ4_NL
	IQ4_XS Type = C.GGML_TYPE_IQ4_XS
	MXFP4  Type = C.GGML_TYPE_MXFP4
	TQ2_0  Type = C.GGML_TYPE_TQ2_0
)

func (t Type) String() string { return C.GoString(C.ggml_type_name(C.enum_ggml_type(t))) }

// Store converts values to a type, in rows of the given width. It returns the bytes, and the values after rounding.
func Store(t Type, width int, values []float32) (stored []byte, made []float32) {
	rows := len(values) / width
	stored = make([]byte, rows*int(C.ggml_row_size(C.enum_ggml_type(t), C.int64_t(width))))
	from, to := (*C.float)(&values[0]), unsafe.Pointer(&stored[0])
	C.ggml_quantize_chunk(C.enum_ggml_type(t), from, to, 0, C.int64_t(rows), C.int64_t(width), nil)
	made = make([]float32, len(values))
	C.proctor_restore(C.enum_ggml_type(t), unsafe.Pointer(&stored[0]), (*C.float)(&made[0]), C.int64_t(len(values)))
	return stored, made
}

// Product is a multiplication of weights, matrices of rows × width, with columns of activations: of experts, or every matrix
// with its part of the columns, which are two groups of columns each where there are several matrices.
type Product struct {
	Type        Type
	Buffer      string // the name of the buffer type that holds the weights
	Width       int
	Weights     []byte
	Rows        int
	Matrices    int       // 0: one
	Activations []float32 // columns × width
	Experts     []int32   // columns × as many for each: the matrices that a column is multiplied with; nil: none
	Prompt      bool      // the activations are of prompts' tokens
	Ours        bool      // computed by package kernels also where the weights are floats that it does not pack
	Anyway      bool      // also where the buffer type says that it does not take the weights
}

// Multiply computes the product the given number of times and returns it, columns × rows, or columns × experts × rows.
func (p Product) Multiply(threads, times int) ([]float32, error) {
	c, result, free := p.operands()
	defer free()
	pool := C.proctor_pool_new(C.int(threads))
	defer C.proctor_pool_free(pool)
	if p.Ours {
		defer kernels.Attach(unsafe.Pointer(pool), "").Detach()
	}
	if p.Prompt {
		threads := kernels.Attach(unsafe.Pointer(pool), kernels.AMXBF16)
		defer threads.Detach()
		threads.Prompts(true)
	}
	if !C.proctor_multiply(c, pool, C.int(threads), C.int(times), (*C.float)(&result[0])) {
		return nil, fmt.Errorf("kernelstest: a buffer of type %s does not take a matrix of %d rows of %d values in %v",
			p.Buffer, p.Rows, p.Width, p.Type)
	}
	return result, nil
}

// ScalarUnpacked is what package kernels makes of a product of floats that it does not pack, computed one number after the other.
func (p Product) ScalarUnpacked() []float32 {
	c, result, free := p.operands()
	defer free()
	C.proctor_scalar_multiply_unpacked(c, (*C.float)(&result[0]))
	return result
}

// Scalar is what package kernels makes of the product, computed one number after the other: of a Prompt, with level amx-bf16.
func (p Product) Scalar() []float32 {
	c, result, free := p.operands()
	defer free()
	C.proctor_scalar_multiply(c, (*C.float)(&result[0]))
	return result
}

// operands returns the product for C, until it is freed, and room for the result.
func (p Product) operands() (c C.proctor_product, result []float32, free func()) {
	columns := len(p.Activations) / p.Width
	buffer := C.CString(p.Buffer)
	var pins runtime.Pinner
	pins.Pin(&p.Weights[0])
	pins.Pin(&p.Activations[0])
	c = C.proctor_product{
		_type: C.enum_ggml_type(p.Type), buffer: buffer, k: C.int64_t(p.Width), rows: C.int64_t(p.Rows), columns: C.int64_t(columns),
		weights: unsafe.Pointer(&p.Weights[0]), activations: (*C.float)(&p.Activations[0]),
		prompt: C.bool(p.Prompt), anyway: C.bool(p.Anyway), matrices: C.int64_t(max(1, p.Matrices)), used: 1,
	}
	if p.Experts != nil {
		pins.Pin(&p.Experts[0])
		c.used, c.ids = C.int64_t(len(p.Experts)/columns), (*C.int32_t)(&p.Experts[0])
	}
	return c, make([]float32, columns*int(c.used)*p.Rows), func() {
		pins.Unpin()
		C.free(unsafe.Pointer(buffer))
	}
}

// UseAMXModel has package kernels compute as its level amx does, on any CPU with AVX2: with tile instructions that are written
// in C++, after Intel's manual. It says whether it does.
func UseAMXModel() bool { return kernels.Available() && bool(C.proctor_use_amx_model()) }

// UseAMXBF16Model has prompts' tokens computed as level amx-bf16 does in the same way, until undo. It says whether they are.
func UseAMXBF16Model() (undo func(), uses bool) {
	uses = kernels.Available() && bool(C.proctor_exchange_amx_bf16_model())
	return func() {
		if uses {
			C.proctor_exchange_amx_bf16_model()
		}
	}, uses
}

// UseBF16Model has prompts' attention computed as level bf16 does in the same way, until undo. It says whether it is.
func UseBF16Model() (undo func(), uses bool) {
	uses = kernels.Available() && bool(C.proctor_exchange_bf16_model())
	return func() {
		if uses {
			C.proctor_exchange_bf16_model()
		}
	}, uses
}

// Attention is that of tokens to the cells of a cache, of several streams that have nothing to do with each other.
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
	Prompt        bool    // and with level bf16
	Group, Length []int32 // what the streams share, as in kernels.Threads.Share; nil: nothing
	First, Cached int     // the first stream's number in the cache, and how many that has; 0: those that are attended
	Copied        bool    // keys and values are no view of the cache, and Key and Value have the streams that are attended
}

// Attend computes attention the given number of times and returns it, streams × tokens × heads × height.
func (a Attention) Attend(threads, times int) ([]float32, error) {
	c, result, free := a.operands()
	defer free()
	pool := C.proctor_pool_new(C.int(threads))
	defer C.proctor_pool_free(pool)
	if a.Ours {
		threads := kernels.Attach(unsafe.Pointer(pool), kernels.BF16)
		defer threads.Detach()
		threads.Prompts(a.Prompt)
		threads.Share(a.Group, a.Length)
	}
	if !C.proctor_attend(c, pool, C.int(threads), C.int(times), (*C.float)(&result[0])) {
		return nil, fmt.Errorf("kernelstest: ggml cannot compute the attention of %d tokens to %d cells", a.Tokens, a.Cells)
	}
	return result, nil
}

// Scalar is what package kernels makes of the attention, computed one number after the other: of a Prompt, with level bf16.
func (a Attention) Scalar() []float32 {
	c, result, free := a.operands()
	defer free()
	C.proctor_scalar_attend(c, (*C.float)(&result[0]))
	return result
}

// operands returns the attention for C, until it is freed, and room for the result.
func (a Attention) operands() (c C.proctor_attention, result []float32, free func()) {
	var pins runtime.Pinner
	pins.Pin(&a.Query[0])
	pins.Pin(&a.Key[0])
	pins.Pin(&a.Value[0])
	c = a.shape()
	c.query, c.key, c.value = (*C.float)(&a.Query[0]), unsafe.Pointer(&a.Key[0]), unsafe.Pointer(&a.Value[0])
	if a.Mask != nil {
		pins.Pin(&a.Mask[0])
		c.mask = (*C.uint16_t)(&a.Mask[0])
	}
	if a.Sinks != nil {
		pins.Pin(&a.Sinks[0])
		c.sinks = (*C.float)(&a.Sinks[0])
	}
	return c, make([]float32, a.Streams*a.Tokens*a.Heads*a.Height), pins.Unpin
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
		first: C.int64_t(a.First), cached: C.int64_t(cmp.Or(a.Cached, a.Streams)), copied: C.bool(a.Copied), prompt: C.bool(a.Prompt),
		scale: C.float(a.Scale), bias: C.float(a.Bias), cap: C.float(a.Cap),
	}
}

// Positions are rotary positions of tokens × heads × width values.
type Positions struct {
	Halves               bool   // a value's other one is half of them away, not beside it
	Sections             [4]int // the pairs that turn by each of a token's four positions, as models of images have them; 0: it has one
	InTurn               bool   // these pairs take turns
	Width, Heads, Turned int
	Scale, Extrapolation float32
	Factors              []float32 // of turned / 2 pairs; nil: none
	Tokens               []int32   // the position of each, or all first ones of four, and so on
	Values               []float32
	Ours                 bool // computed by package kernels
}

// Turn rotates the values the given number of times, each time from the start, and returns the result.
func (p Positions) Turn(threads, times int) ([]float32, error) {
	result := make([]float32, len(p.Values))
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(&p.Tokens[0])
	pins.Pin(&p.Values[0])
	c := C.proctor_positions{
		mode: C.GGML_ROPE_TYPE_NORMAL, width: C.int64_t(p.Width), heads: C.int64_t(p.Heads),
		tokens: C.int64_t(len(p.Values) / p.Width / p.Heads),
		turned: C.int(p.Turned), scale: C.float(p.Scale), extrapolation: C.float(p.Extrapolation),
		positions: (*C.int32_t)(&p.Tokens[0]), from: (*C.float)(&p.Values[0]),
	}
	for i, pairs := range p.Sections {
		c.sections[i] = C.int(pairs)
	}
	switch {
	case p.InTurn:
		c.mode = C.GGML_ROPE_TYPE_IMROPE
	case p.Sections != [4]int{}:
		c.mode = C.GGML_ROPE_TYPE_MROPE
	case p.Halves:
		c.mode = C.GGML_ROPE_TYPE_NEOX
	}
	if p.Factors != nil {
		pins.Pin(&p.Factors[0])
		c.factors = (*C.float)(&p.Factors[0])
	}
	done := onThreads(threads, p.Ours, func(pool *C.struct_ggml_threadpool) bool {
		return bool(C.proctor_turn(c, pool, C.int(threads), C.int(times), (*C.float)(&result[0])))
	})
	if !done {
		return nil, fmt.Errorf("kernelstest: ggml cannot compute rotary positions of %d tokens", len(p.Tokens))
	}
	return result, nil
}

// Norms are root mean square norms of rows.
type Norms struct {
	Width   int
	Epsilon float32
	Rows    []float32 // rows × width
	Ours    bool      // computed by package kernels
}

// Normalise computes the norms the given number of times and returns them, rows × width.
func (n Norms) Normalise(threads, times int) ([]float32, error) {
	result := make([]float32, len(n.Rows))
	from, to, rows := (*C.float)(&n.Rows[0]), (*C.float)(&result[0]), C.int64_t(len(n.Rows)/n.Width)
	done := onThreads(threads, n.Ours, func(pool *C.struct_ggml_threadpool) bool {
		return bool(C.proctor_normalise(from, C.int64_t(n.Width), rows, C.float(n.Epsilon), pool, C.int(threads), C.int(times), to))
	})
	if !done {
		return nil, fmt.Errorf("kernelstest: ggml cannot compute the norms of rows of %d values", n.Width)
	}
	return result, nil
}

// Scalar is what package kernels makes of the norms, computed one number after the other.
func (n Norms) Scalar() []float32 {
	result := make([]float32, len(n.Rows))
	from, rows := (*C.float)(&n.Rows[0]), C.int64_t(len(n.Rows)/n.Width)
	C.proctor_scalar_normalise(from, C.int64_t(n.Width), rows, C.float(n.Epsilon), (*C.float)(&result[0]))
	return result
}
