//go:build cgo

package builtin

// #include "imatrix.h"
import "C"

import "unsafe"

// Imatrix is an importance matrix in the making: for each column of each layer's matrices, and of each expert's, the sum of the
// squares of what it was multiplied with. Contexts that evaluate with its callback add to it.
type Imatrix struct{ c *C.proctor_imatrix }

// NewImatrix makes an empty one.
func NewImatrix() *Imatrix { return &Imatrix{C.proctor_imatrix_new()} }

// Callback is what a context calls for each operation (ggml_backend_sched_eval_callback), and what it passes.
func (i *Imatrix) Callback() (function, data unsafe.Pointer) {
	return C.proctor_imatrix_callback(), unsafe.Pointer(i.c)
}

// Rows is how many rows the matrix with most of them was multiplied with; 0 where nothing was computed.
func (i *Imatrix) Rows() int64 { return int64(C.proctor_imatrix_rows(i.c)) }

// Write writes it as llama.cpp's llama-imatrix does (general.type imatrix, for each tensor NAME.in_sum2 and NAME.counts, an expert a
// row), and says whether it could. dataset says what it was collected from, in how many chunks of how many tokens.
func (i *Imatrix) Write(path, dataset string, chunks, chunk uint32) bool {
	name, free := cString(path)
	defer free()
	from, free := cString(dataset)
	defer free()
	return bool(C.proctor_imatrix_write(i.c, name, from, C.uint32_t(chunks), C.uint32_t(chunk)))
}

// Close frees it; it is safe to call twice.
func (i *Imatrix) Close() {
	if i.c != nil {
		C.proctor_imatrix_free(i.c)
		i.c = nil
	}
}
