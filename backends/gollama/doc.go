// Package gollama answers requests with github.com/go-skynet/go-llama.cpp: a second opinion by a llama.cpp of September 2023 that was
// built apart from the one in this program.
//
//	Check: what that version can read ─ Open ─ Model: one sequence at a time, nothing kept from one to the next
//
// The library is not among what `go build` compiles: with the tag gollama, which `make gollama` sets, [Open] opens models; without,
// it says how to build that. What one sequence and that library cannot: several slots, reuse of prefixes, min-p, log-probabilities,
// and to stop while it reads a prompt.
//
// Neighbours: package gguf reads the header, package stream makes text of tokens.
package gollama
