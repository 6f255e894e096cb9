// Package llamacpp answers requests in-process, with llama.cpp: a thin binding of our own, straight to llama.h.
//
// [Open] loads a GGUF file whose header package gguf has accepted; [Model.Plan] sizes the key/value cache to the
// work and the memory there is; [Model.Generate] decodes many sequences at a time:
//
//	requests ─ tokens ─ slot: trim, copy or decode the prompt ─┐
//	                    slot: next token, next token, …       ─┼─ one batch ─ draw ─ text ─ done
//	                    slot: …                               ─┘
//
// A slot is one sequence of the cache. The tokens of a slot's last prompt stay in it, so what the next prompt has
// in common with it is not decoded again: it is kept, or copied from the slot that shares most of it. A request
// whose beginning is just being decoded in another slot waits for it instead of doing the same work. Requests that
// come in an order in which prefixes meet are thus decoded like a tree of prefixes, each branch once, and no
// sequence is set aside for it.
//
// Package kernels computes what an exam spends its time on, faster than ggml does where the CPU allows it. All other C
// and C++ is here and in the modules this package imports: each C resource is a Go type with a Close, no C type is
// exported, and one goroutine at a time uses a model. Neighbours: package backends has the words, package stream makes
// text of tokens, package gguf reads headers, package embedded brings a model along.
package llamacpp
