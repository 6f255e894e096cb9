package llama

// #cgo CPPFLAGS: -I${SRCDIR}/include/llama -I${SRCDIR}/include/ggml
// #cgo CXXFLAGS: -std=c++17
// #include "engine.h"
import "C"

import (
	"fmt"
	"runtime"

	// The engine itself: llama.cpp and ggml as cgo packages.
	_ "github.com/ollama/ollama/llama/llama.cpp/src"
	_ "github.com/ollama/ollama/ml/backend/ggml/ggml/src"
)

// Commit is llama.cpp's upstream commit: that of the copy which this module of Ollama carries.
const Commit = "ec98e2002"

// Module is the version of Ollama's module that llama.cpp and ggml are of.
const Module = "v0.17.4"

// Version says which llama.cpp is linked.
const Version = "llama.cpp " + Commit + " (ollama " + Module + ")"

// SystemInfo returns what the engine was compiled with, as it says itself: "CPU : SSE3 = 1 | AVX2 = 1 | …".
func SystemInfo() string { return C.GoString(C.llama_print_system_info()) }

// Quantize writes a copy of the model at from to to, with its large tensors stored as fileType, such as Q8_0 or
// Q4_K_M (llama.cpp's names).
func Quantize(from, to, fileType string) error {
	number, known := quantizations[fileType]
	if !known {
		return fmt.Errorf("cannot quantise to %q", fileType)
	}
	log := listen(from, nil)
	defer log.Close()
	source, free := cString(from)
	defer free()
	target, free := cString(to)
	defer free()
	if C.proctor_quantize(source, target, number, C.int32_t(runtime.NumCPU())) != 0 {
		return fmt.Errorf("quantising %s: %s", from, log.reason("the engine gave no reason"))
	}
	return nil
}

var quantizations = map[string]C.enum_llama_ftype{
	"F32": C.LLAMA_FTYPE_ALL_F32, "F16": C.LLAMA_FTYPE_MOSTLY_F16, "BF16": C.LLAMA_FTYPE_MOSTLY_BF16,
	"Q8_0": C.LLAMA_FTYPE_MOSTLY_Q8_0, "Q6_K": C.LLAMA_FTYPE_MOSTLY_Q6_K,
	"Q5_K_M": C.LLAMA_FTYPE_MOSTLY_Q5_K_M, "Q4_K_M": C.LLAMA_FTYPE_MOSTLY_Q4_K_M,
	"Q5_0": C.LLAMA_FTYPE_MOSTLY_Q5_0, "Q5_1": C.LLAMA_FTYPE_MOSTLY_Q5_1, "Q4_0": C.LLAMA_FTYPE_MOSTLY_Q4_0,
	"Q4_1": C.LLAMA_FTYPE_MOSTLY_Q4_1, "IQ4_NL": C.LLAMA_FTYPE_MOSTLY_IQ4_NL, "IQ4_XS": C.LLAMA_FTYPE_MOSTLY_IQ4_XS,
	"MXFP4_MOE": C.LLAMA_FTYPE_MOSTLY_MXFP4_MOE,
	"Q3_K_M":    C.LLAMA_FTYPE_MOSTLY_Q3_K_M, "Q2_K": C.LLAMA_FTYPE_MOSTLY_Q2_K,
}
