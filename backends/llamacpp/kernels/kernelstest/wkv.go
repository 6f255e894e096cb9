package kernelstest

// #include "operations.h"
// #include "scalar.h"
import "C"

import (
	"errors"
	"runtime"
)

// WKVKind is how states change.
type WKVKind C.enum_ggml_op

// Kinds of [WKV].
const (
	RWKV6                WKVKind = C.GGML_OP_RWKV_WKV6
	RWKV7                WKVKind = C.GGML_OP_RWKV_WKV7
	GatedLinearAttention WKVKind = C.GGML_OP_GATED_LINEAR_ATTN
)

func (k WKVKind) String() string { return C.GoString(C.ggml_op_name(C.enum_ggml_op(k))) }

// WKV are states of RWKV or of gated linear attention.
type WKV struct {
	Kind                            WKVKind
	Width, Heads, Tokens, Sequences int // tokens of each sequence
	Scale                           float32
	Sources                         [][]float32 // as ggml has them: sequences × tokens × heads × width; RWKV6's fourth heads × width
	States                          []float32   // sequences × heads × width × width
	Ours                            bool        // computed by package kernels
}

// Compute computes the operation the given number of times. It returns the outputs, sequences × tokens × heads × width, and then
// the states.
func (w WKV) Compute(threads, times int) ([]float32, error) {
	c, result, free := w.operands()
	defer free()
	done := onThreads(threads, w.Ours, func(pool *C.struct_ggml_threadpool) bool {
		return bool(C.proctor_compute_wkv(c, pool, C.int(threads), C.int(times), (*C.float)(&result[0])))
	})
	if !done {
		return nil, errors.New("kernelstest: ggml cannot compute the states")
	}
	return result, nil
}

// Scalar is what package kernels makes of the operation, computed one number after the other.
func (w WKV) Scalar() []float32 {
	c, result, free := w.operands()
	defer free()
	C.proctor_scalar_wkv(c, (*C.float)(&result[0]))
	return result
}

func (w WKV) operands() (c C.proctor_wkv, result []float32, free func()) {
	var pins runtime.Pinner
	c = C.proctor_wkv{
		kind: C.enum_ggml_op(w.Kind), width: C.int64_t(w.Width), heads: C.int64_t(w.Heads), tokens: C.int64_t(w.Tokens),
		sequences: C.int64_t(w.Sequences), scale: C.float(w.Scale), states: pinned(&pins, w.States),
	}
	for i, source := range w.Sources {
		c.sources[i] = pinned(&pins, source)
	}
	return c, make([]float32, len(w.Sources[0])+len(w.States)), pins.Unpin
}
