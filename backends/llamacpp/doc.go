// Package llamacpp answers requests in-process, with llama.cpp.
//
//	Open ─ Model: header, weights ─ Plan: slots, context, memory ─ Generate: package schedule in the planned slots ─ completions
//
// [Open] loads a GGUF file whose header package gguf has accepted; [Model.Plan] sizes the key/value cache to the work and the
// memory there is, which package memory counts; [Model.Generate] has package schedule decode many sequences at a time.
//
// Neighbours: package schedule decides what is decoded when, in pure Go; package engine has the types that it exchanges
// with the engine; package llama is that engine, llama.cpp; package kernels replaces ggml's slowest operations where
// the CPU allows it; package tune finds the number of threads and estimates a run's pace; package gpu finds ggml's
// backends for GPUs; package machine knows the cores and the memory; package gguf reads headers; package stream makes
// text of tokens; package embedded has a model.
//
// One goroutine at a time uses a model.
package llamacpp
