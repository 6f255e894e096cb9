package kernelstest

// #include "operations.h"
// #include "scalar.h"
import "C"

import (
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
// with its part of the columns, which are two groups of columns each where there are several matrices. The result is columns × rows,
// or columns × experts × rows.
type Product struct {
	Type        Type
	Buffer      string // the name of the buffer type that holds the weights
	Width       int
	Weights     []byte
	Rows        int
	Matrices    int       // 0: one
	Activations []float32 // columns × width
	Experts     []int32   // columns × as many for each: the matrices that a column is multiplied with; nil: none
	Ours        bool      // computed by package kernels also where the weights are floats, which it does not pack
	Anyway      bool      // also where the buffer type says that it does not take the weights
}

func (p Product) forC(pins *runtime.Pinner) operation {
	columns := len(p.Activations) / p.Width
	c := C.proctor_product{
		_type: C.enum_ggml_type(p.Type), buffer: text(pins, p.Buffer), k: C.int64_t(p.Width), rows: C.int64_t(p.Rows),
		columns: C.int64_t(columns), weights: unsafe.Pointer(pinned(pins, p.Weights)), activations: floats(pins, p.Activations),
		anyway: C.bool(p.Anyway), matrices: C.int64_t(max(1, p.Matrices)), used: 1,
	}
	if p.Experts != nil {
		c.used, c.ids = C.int64_t(len(p.Experts)/columns), integers(pins, p.Experts)
	}
	all := operation{
		name: fmt.Sprintf("the product: a buffer of type %s does not take a matrix of %d rows of %d values in %v",
			p.Buffer, p.Rows, p.Width, p.Type),
		size: columns * int(c.used) * p.Rows, ours: p.Ours,
		compute: func(on run, to *C.float) C.bool { return C.proctor_multiply(c, on.pool, on.threads, on.times, to) },
		scalar:  func(to *C.float) { C.proctor_scalar_multiply(c, to) },
	}
	if p.Ours {
		all.scalar = func(to *C.float) { C.proctor_scalar_multiply_unpacked(c, to) }
	}
	return all
}

// UseAMXModel has package kernels compute as its level amx does, on any CPU with AVX2: with tile instructions that are written
// in C++, after Intel's manual. It says whether it does.
func UseAMXModel() bool { return kernels.Available() && bool(C.proctor_use_amx_model()) }
