// Package kernelstest computes single operations with ggml's CPU backend, and counts what C has allocated, for the tests and
// benchmarks of package kernels and of the program: Go's tests cannot call C themselves.
package kernelstest

// #cgo CPPFLAGS: -I${SRCDIR}/../../builtin/include/ggml -I${SRCDIR}/../../builtin/include/ggml-src
// #cgo CPPFLAGS: -I${SRCDIR}/../../builtin/include/ggml-src/ggml-cpu -DNDEBUG
// #cgo CXXFLAGS: -std=c++17
// #cgo linux CPPFLAGS: -D_GNU_SOURCE
// #include "operations.h"
// #include "scalar.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"proctor/backends/llamacpp/kernels"
)

// An Operation is one of ggml's, with its operands.
type Operation interface {
	// forC returns the operation for C, whose operands stay in place while they are pinned.
	forC(pins *runtime.Pinner) operation
}

// operation is an [Operation] for C.
type operation struct {
	name    string // for errors
	size    int    // of the result
	ours    bool   // package kernels computes it
	compute func(on run, to *C.float) C.bool
	scalar  func(to *C.float) // what package kernels makes of it, computed one number after the other

	group, length []int32          // as [kernels.Threads.Share] takes them
	rotated       kernels.Rotation // of a quantised cache
}

// run says with which threads an operation is computed, and how often.
type run struct {
	pool           *C.struct_ggml_threadpool
	threads, times C.int
}

// Compute computes an operation the given number of times and returns the result. Before it others are computed once,
// on the same threads.
func Compute(o Operation, threads, times int, before ...Operation) ([]float32, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	c := o.forC(&pins)
	pool := C.proctor_pool_new(C.int(threads))
	defer C.proctor_pool_free(pool)
	if c.ours {
		attached := kernels.Attach(unsafe.Pointer(pool), c.rotated)
		defer attached.Detach()
		attached.Share(c.group, c.length)
	}
	for _, b := range before {
		other := b.forC(&pins)
		other.compute(run{pool, C.int(threads), 1}, (*C.float)(&make([]float32, other.size)[0]))
	}
	result := make([]float32, c.size)
	if !c.compute(run{pool, C.int(threads), C.int(times)}, (*C.float)(&result[0])) {
		return nil, fmt.Errorf("kernelstest: ggml cannot compute %s", c.name)
	}
	return result, nil
}

// Scalar is what package kernels makes of an operation, computed one number after the other.
func Scalar(o Operation) []float32 {
	var pins runtime.Pinner
	defer pins.Unpin()
	c := o.forC(&pins)
	result := make([]float32, c.size)
	c.scalar((*C.float)(&result[0]))
	return result
}

// pinned is where values begin, which stay there while they are pinned; nil where there are none.
func pinned[T any](pins *runtime.Pinner, values []T) *T {
	if len(values) == 0 {
		return nil
	}
	pins.Pin(&values[0])
	return &values[0]
}

func floats(pins *runtime.Pinner, values []float32) *C.float { return (*C.float)(pinned(pins, values)) }

func integers(pins *runtime.Pinner, values []int32) *C.int32_t {
	return (*C.int32_t)(pinned(pins, values))
}

func text(pins *runtime.Pinner, s string) *C.char {
	return (*C.char)(unsafe.Pointer(pinned(pins, append([]byte(s), 0))))
}
