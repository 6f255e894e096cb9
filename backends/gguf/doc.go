// Package gguf reads the header of a GGUF file: what model is it, and is the file whole?
//
// The header is checked completely (magic, version, every key and value, every tensor's name, type, size and
// place in the file) before llama.cpp gets to see the file, because an engine in C++ answers a broken file with an
// abort. [File.Validate] then looks at what the file says: keys and a vocabulary that llama.cpp takes for granted;
// [File.TextModel] names what is no model that continues a text. No tensor data is read for that. Errors name the file
// and say what to do about it.
//
// The format is specified in ggml's docs/gguf.md. Neighbours: package llamacpp, which opens nothing that this package has
// not accepted, and package ollama, which reads here what a server's models are.
package gguf
