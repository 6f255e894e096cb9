// Package quantize stores a model's weights in fewer bits: llama.cpp's llama-quantize.
//
//	Types ─ Plan: the order of the tensors, about how large the file ─ Write: the file, whole or not at all
//
// Neighbours: package llama calls llama.cpp, package gguf reads the model's header.
package quantize
