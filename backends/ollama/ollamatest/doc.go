// Package ollamatest is a real Ollama for tests: a [Server] with a home and models of its own.
//
// Nothing here is part of proctor itself. The server is the one that `make ollama` compiles.
package ollamatest
