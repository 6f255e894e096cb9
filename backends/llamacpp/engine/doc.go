// Package engine has the types between a scheduler and an engine: settings, batches of tokens, places, failures, caches, GPUs. It is plain
// Go. Package llama computes them with llama.cpp; packages schedule, memory and tune make them, and their tests have fake engines.
package engine
