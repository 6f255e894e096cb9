// Package engine is what is said to an engine, and what it answers: settings, batches of tokens, places, failures. It is plain
// Go. Package llama computes what is said here with llama.cpp, packages schedule and tune decide what to say, and their tests
// fake the one who answers.
package engine
