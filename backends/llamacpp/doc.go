// Package llamacpp answers requests in-process, with llama.cpp.
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
// sequence is set aside for it. A model whose memory cannot be cut back goes on from checkpoints, where prompts part.
//
// What is decoded when is pure Go: a generation needs of the engine only an interface, which the tests fake. Neighbours:
// package llama is llama.cpp, package kernels computes what a run spends its time on faster than ggml does where the CPU
// allows it, package tune finds the fastest settings, package gpu finds ggml's backends for GPUs, package machine knows the
// cores and the memory, package gguf reads headers, package stream makes text of tokens, package embedded brings a model
// along.
//
// One goroutine at a time uses a model.
package llamacpp
