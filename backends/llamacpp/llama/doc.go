// Package llama is llama.cpp for Go: one binding for the llama.cpp that is compiled in and for published builds that are loaded when the
// program runs.
//
//	Builtin() or OpenLibrary(folder) ─ Library: functions, layout
//	    Load ─ Model: vocabulary, tensors ─ NewEngine ─ Engine: cache, threads ─ Decode(Batch) ─ drawn tokens
//
// A [Library] is a table of C functions, called through purego (functions.go), and where its release has the fields of its parameters
// (layout.go). Nothing above the table knows which library it is. What only the compiled-in one can do is optional in the table:
// kept windows, and what a layer keeps.
//
// Each C resource is a Go type with a Close, and no C type is exported. One goroutine at a time uses an [Engine]; only its Cancel may be
// called from others. An assertion that ends the process is one line (abort.go); see [OnAbort].
//
// Neighbours: package builtin is the llama.cpp that is compiled in, package logits reduces scores to tokens, package engine has the input
// and output of an [Engine], package kernels computes a part in place of ggml, package machine says how many threads there is room for,
// package schedule decides which tokens are decoded when.
package llama
