package kernels

// #cgo CPPFLAGS: -I${SRCDIR}/../include/ggml -I${SRCDIR}/../include/ggml-src -I${SRCDIR}/../include/ggml-src/ggml-cpu -DNDEBUG
// #cgo CXXFLAGS: -std=c++17
// #cgo linux CPPFLAGS: -D_GNU_SOURCE
// #include "kernels.h"
import "C"

import (
	"sync"
	"unsafe"

	// ggml itself, as cgo packages.
	_ "github.com/ollama/ollama/ml/backend/ggml/ggml/src"
)

var install = sync.OnceValue(func() bool { return bool(C.proctor_kernels_install()) })

// Available adds the kernels to ggml, where they are compiled for this CPU, and says whether they are.
func Available() bool { return install() }

// Use sets, for the whole process, whether models that are loaded from now on, and all attention from now on, use the
// kernels. Weights that were loaded for them keep them.
func Use(on bool) { C.proctor_kernels_use(C.bool(on && install())) }

// Share tells which streams of a cache begin with the same cells, until it is told otherwise: attention then reads these
// cells once for all of them. It belongs to the context that computes with threads, a ggml_threadpool, and must not be
// called while that computes. leader has each stream's leader, which is one of the streams that do, or -1 where none do;
// length has, at a leader's place, how many cells that are. Without streams, nothing is known any more.
func Share(threads unsafe.Pointer, leader, length []int32) {
	C.proctor_kernels_share((*C.struct_ggml_threadpool)(threads), C.int32_t(len(leader)),
		(*C.int32_t)(unsafe.SliceData(leader)), (*C.int32_t)(unsafe.SliceData(length)))
}
