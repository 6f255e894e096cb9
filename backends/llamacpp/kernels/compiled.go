//go:build cgo

package kernels

// #cgo CPPFLAGS: -isystem ${SRCDIR}/../builtin/include/ggml -isystem ${SRCDIR}/../builtin/include/ggml-src
// #cgo CPPFLAGS: -isystem ${SRCDIR}/../builtin/include/ggml-src/ggml-cpu -DNDEBUG
// #cgo CPPFLAGS: -Wall -Wextra -Wstringop-overflow
// #cgo CFLAGS: -fno-builtin-cos -fno-builtin-erf -fno-builtin-exp -fno-builtin-exp2 -fno-builtin-expm1 -fno-builtin-log
// #cgo CFLAGS: -fno-builtin-log1p -fno-builtin-log2 -fno-builtin-pow -fno-builtin-sin -fno-builtin-tanh
// #cgo CXXFLAGS: -std=c++17
// #cgo linux CPPFLAGS: -D_GNU_SOURCE
// #include "kernels.h"
import "C"

import (
	"unsafe"

	// ggml itself, as cgo packages.
	_ "github.com/ollama/ollama/ml/backend/ggml/ggml/src"
)

// find returns where the functions are, by name: they are compiled in.
func find() (func(name string) uintptr, error) {
	all := map[string]unsafe.Pointer{
		"proctor_kernels_level":       C.proctor_kernels_level,
		"proctor_kernels_level_lacks": C.proctor_kernels_level_lacks,
		"proctor_kernels_install":     C.proctor_kernels_install,
		"proctor_kernels_measure":     C.proctor_kernels_measure,
		"proctor_kernels_multiply":    C.proctor_kernels_multiply,
		"proctor_kernels_multiplier":  C.proctor_kernels_multiplier,
		"proctor_kernels_add":         C.proctor_kernels_add,
		"proctor_kernels_pack":        C.proctor_kernels_pack,
		"proctor_kernels_spread":      C.proctor_kernels_spread,
		"proctor_kernels_packs":       C.proctor_kernels_packs,
		"proctor_kernels_attach":      C.proctor_kernels_attach,
		"proctor_kernels_detach":      C.proctor_kernels_detach,
		"proctor_kernels_rotates":     C.proctor_kernels_rotates,
		"proctor_kernels_share":       C.proctor_kernels_share,
		"proctor_kernels_reduce":      C.proctor_kernels_reduce,
		"proctor_kernels_argmax":      C.proctor_kernels_argmax,
		"proctor_kernels_predict":     C.proctor_kernels_predict,
	}
	return func(name string) uintptr { return uintptr(all[name]) }, nil
}
