package kernels

// #cgo CPPFLAGS: -I${SRCDIR}/../include/ggml -I${SRCDIR}/../include/ggml-src -I${SRCDIR}/../include/ggml-src/ggml-cpu -DNDEBUG
// #cgo CXXFLAGS: -std=c++17
// #cgo linux CPPFLAGS: -D_GNU_SOURCE
// #include "kernels.h"
import "C"

import (
	"sync"

	// ggml itself, as cgo packages.
	_ "github.com/ollama/ollama/ml/backend/ggml/ggml/src"
)

var install = sync.OnceValue(func() bool { return bool(C.proctor_kernels_install()) })

// Available adds the kernels to ggml, where they are compiled for this CPU, and says whether they are.
func Available() bool { return install() }

// Use sets whether models that are loaded from now on, and all attention from now on, use the kernels.
func Use(on bool) { C.proctor_kernels_use(C.bool(on && install())) }
