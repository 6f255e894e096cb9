// Package engine is what is said to an engine, and what it answers: settings, batches of tokens, places, failures; and what it
// has: caches, GPUs. It is plain Go. Package llama computes what is said here with llama.cpp, packages schedule, memory and tune
// decide what to say, and their tests fake the one who answers.
package engine
