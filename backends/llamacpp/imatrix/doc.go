// Package imatrix adds up an importance matrix, and writes it as the file that llama.cpp's llama-imatrix writes. It is pure Go; package
// llama gives it what an engine computes with.
package imatrix
