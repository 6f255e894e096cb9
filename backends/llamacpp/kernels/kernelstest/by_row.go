package kernelstest

// #include <stdlib.h>
// #include "operations.h"
// #include "scalar.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"proctor/backends/llamacpp/kernels"
)

// ByRow is an operation of each row of values: a function of each, or one of the whole row.
type ByRow struct {
	Name        string // in ggml: silu, sigmoid, tanh, exp, softplus, swiglu, swiglu_oai, soft_max or norm
	Width       int
	Rows, Gates []float32 // rows × width; of swiglu and swiglu_oai both
	Ours        bool      // computed by package kernels
}

// Compute computes the operation the given number of times and returns the result, rows × width.
func (r ByRow) Compute(threads, times int) ([]float32, error) {
	c, free := r.operands()
	defer free()
	result := make([]float32, len(r.Rows))
	done := onThreads(threads, r.Ours, func(pool *C.struct_ggml_threadpool) bool {
		return bool(C.proctor_compute_by_row(c, pool, C.int(threads), C.int(times), (*C.float)(&result[0])))
	})
	if !done {
		return nil, fmt.Errorf("kernelstest: ggml cannot compute %s of rows of %d values", r.Name, r.Width)
	}
	return result, nil
}

// Scalar is what package kernels makes of the rows, computed one number after the other.
func (r ByRow) Scalar() []float32 {
	c, free := r.operands()
	defer free()
	result := make([]float32, len(r.Rows))
	C.proctor_scalar_by_row(c, (*C.float)(&result[0]))
	return result
}

func (r ByRow) operands() (c C.proctor_by_row, free func()) {
	var pins runtime.Pinner
	name := C.CString(r.Name)
	c = C.proctor_by_row{
		name: name, width: C.int64_t(r.Width), rows: C.int64_t(len(r.Rows) / r.Width), from: pinned(&pins, r.Rows),
	}
	if r.Gates != nil {
		c.gates = pinned(&pins, r.Gates)
	}
	return c, func() {
		pins.Unpin()
		C.free(unsafe.Pointer(name))
	}
}

func pinned(pins *runtime.Pinner, values []float32) *C.float {
	pins.Pin(&values[0])
	return (*C.float)(&values[0])
}

// onThreads calls compute with a pool of threads. ours says whether package kernels may compute on them.
func onThreads(threads int, ours bool, compute func(pool *C.struct_ggml_threadpool) bool) bool {
	pool := C.proctor_pool_new(C.int(threads))
	defer C.proctor_pool_free(pool)
	if ours {
		defer kernels.Attach(unsafe.Pointer(pool), "").Detach()
	}
	return compute(pool)
}
