//go:build cgo

package kernels

// #cgo CPPFLAGS: -I${SRCDIR}/../builtin/include/ggml -I${SRCDIR}/../builtin/include/ggml-src
// #cgo CPPFLAGS: -I${SRCDIR}/../builtin/include/ggml-src/ggml-cpu -DNDEBUG
// #cgo CFLAGS: -fno-builtin-cos -fno-builtin-erf -fno-builtin-exp -fno-builtin-exp2 -fno-builtin-expm1 -fno-builtin-log
// #cgo CFLAGS: -fno-builtin-log1p -fno-builtin-log2 -fno-builtin-pow -fno-builtin-sin -fno-builtin-tanh
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

// install adds the kernels of a level of all tokens to ggml.
func (l level) install() { C.proctor_kernels_install(C.int32_t(l.number)) }

// levels are those that this program has for all tokens, or for prompts' alone, best first.
func levels(prompts bool) []level {
	var all []level
	for i := C.int32_t(0); ; i++ {
		name := C.proctor_kernels_level(i)
		if name == nil {
			return all
		}
		if bool(C.proctor_kernels_level_prompts(i)) != prompts {
			continue
		}
		l := level{name: C.GoString(name), number: int32(i)}
		for n := C.int32_t(0); ; n++ {
			feature := C.proctor_kernels_level_lacks(i, n)
			if feature == nil {
				break
			}
			l.lacks = append(l.lacks, C.GoString(feature))
		}
		all = append(all, l)
	}
}

var loading sync.Mutex

// Load calls load, which loads a model, and has its weights packed for the kernels or leaves them to ggml. Packed ones are spread over
// the memory of NUMA nodes, where several below 64 are given.
func Load(pack bool, nodes []int, load func()) {
	loading.Lock()
	defer loading.Unlock()
	var spread uint64
	for _, node := range nodes {
		spread |= 1 << node
	}
	C.proctor_kernels_spread(C.uint64_t(spread))
	C.proctor_kernels_pack(C.bool(pack && Available()))
	load()
}

// Packs says whether Load packs a matrix of weights: of a ggml_type, with so many values in each of its rows.
func Packs(kind uint32, columns, rows int64) bool {
	return Available() && bool(C.proctor_kernels_packs(C.int32_t(kind), C.int64_t(columns), C.int64_t(rows)))
}

// Threads are those that a context computes with, a ggml_threadpool. None of its methods may be called while they compute.
type Threads struct {
	pool    *C.struct_ggml_threadpool
	prompts C.int32_t // the level of prompts' tokens; -1: there is none
}

// Attach makes attention and the other operations that are computed with a ggml_threadpool the kernels', until Detach. The level
// multiplies prompts' tokens, where there is one: [AMXBF16], or "".
func Attach(pool unsafe.Pointer, level string) Threads {
	t := Threads{(*C.struct_ggml_threadpool)(pool), C.int32_t(forPrompts(level).number)}
	C.proctor_kernels_attach(t.pool)
	return t
}

// Detach leaves them to ggml again. It comes before the threads are freed.
func (t Threads) Detach() {
	t.Prompts(false)
	C.proctor_kernels_detach(t.pool)
}

// Prompts sets whether what is computed next are tokens of prompts, and none behind them. A level of all tokens ignores it.
func (t Threads) Prompts(are bool) {
	if t.prompts < 0 {
		return
	}
	level := C.int32_t(-1)
	if are {
		level = t.prompts
	}
	C.proctor_kernels_prompts(t.pool, level)
}

// Share sets which streams of the cache begin with the same cells, until the next call: attention then reads these cells once for
// all of them. group has each stream's prefix group, which has the number of one of its streams, or -1 where it is in none;
// length has, at that place, how many cells are the same. Without streams, nothing is known any more.
func (t Threads) Share(group, length []int32) {
	groups, lengths := (*C.int32_t)(unsafe.SliceData(group)), (*C.int32_t)(unsafe.SliceData(length))
	C.proctor_kernels_share(t.pool, C.int32_t(len(group)), groups, lengths)
}
