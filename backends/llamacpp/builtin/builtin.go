//go:build cgo

package builtin

// #cgo CPPFLAGS: -I${SRCDIR}/include/llama -I${SRCDIR}/include/ggml
// #cgo CXXFLAGS: -std=c++17
// #cgo linux LDFLAGS: -Wl,--wrap=ggml_backend_free
// #include <stdlib.h>
// #include "functions.h"
import "C"

import (
	"unsafe"

	// The engine itself: llama.cpp and ggml as cgo packages.
	_ "github.com/ollama/ollama/llama/llama.cpp/src"
	_ "github.com/ollama/ollama/ml/backend/ggml/ggml/src"
)

// Symbol is the address of a function; 0 where there is none of that name.
func Symbol(name string) uintptr {
	c, free := cString(name)
	defer free()
	return uintptr(C.proctor_symbol(c))
}

// cString returns s for C and the function that frees it.
func cString(s string) (*C.char, func()) {
	c := C.CString(s)
	return c, func() { C.free(unsafe.Pointer(c)) }
}
