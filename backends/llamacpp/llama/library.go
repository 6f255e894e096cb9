package llama

// #cgo CPPFLAGS: -I${SRCDIR}/include/llama -I${SRCDIR}/include/ggml
// #cgo CXXFLAGS: -std=c++17
// #cgo linux LDFLAGS: -Wl,--wrap=ggml_backend_free
// #include "engine.h"
import "C"

import (
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
