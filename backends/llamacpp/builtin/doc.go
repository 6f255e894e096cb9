// Package builtin is the llama.cpp that is compiled into the program, seen as a loaded one is: functions by name.
//
//	Symbol("llama_decode") ─→ an address, which package llama calls
//
// Some of those functions are wrapped (functions.cpp): a C++ exception ends in the log and in the function's own failure, and
// backends that llama.cpp frees too early are kept (backends.cpp). Two are our own: what llama.cpp's header does not say of a layer,
// and copies that must not wait (details.cpp). Quantising needs C++ on both sides; it is a Go function here.
//
// A program that contains the package ends in one line where its limits leave no room for it (limits.c, before anything else runs),
// where the engine gives up (abort.cpp).
//
// llama.cpp and ggml come as cgo packages of the module github.com/ollama/ollama; `make headers` links their headers into include.
// Without cgo nothing is compiled in, and Symbol knows no name.
package builtin

// Commit is llama.cpp's upstream commit: that of the copy which this module of Ollama carries.
const Commit = "ec98e2002"

// Date is when that commit was made.
const Date = "December 2025"

// Module is the version of Ollama's module that llama.cpp and ggml are of.
const Module = "v0.17.4"

// Version says which llama.cpp is compiled in.
const Version = "llama.cpp " + Commit + " (ollama " + Module + ")"
