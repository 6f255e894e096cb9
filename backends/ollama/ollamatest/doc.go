// Package ollamatest is what tests and benchmarks need of Ollama: a real [Server] with a home of its own, a [Proxy]
// that breaks real traffic on purpose, and a [Recorder] of the hosts that a client asks.
//
// Nothing here is part of proctor itself. The server is the one that `make ollama` compiles.
package ollamatest
