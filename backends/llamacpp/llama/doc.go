// Package llama is llama.cpp for Go: beside package kernels the only place where C is seen.
//
//	Load ─ Model: vocabulary, tensors ─ NewEngine ─ Engine: cache, threads ─ Decode(Batch) ─ drawn tokens
//
// Each C resource is a Go type with a Close, no C type is exported, and C++ exceptions end in engine.cpp. One goroutine at a
// time uses an [Engine]; only its Cancel may be called from others. llama.cpp and ggml come as cgo packages of the module
// github.com/ollama/ollama; their headers are linked into include by `make headers`.
//
// What ends the process is told in a line: limits that leave the program no room (limits.c, before anything else runs), assertions
// (abort.cpp) and signals (deaths.c) of the engine; see [OnAbort]. What llama.cpp frees too early is kept (backends.cpp).
//
// Neighbours: package engine has what an [Engine] is told and answers, package kernels computes part of what ggml would,
// package machine says how many threads there is room for, package schedule decides what is decoded when.
package llama
