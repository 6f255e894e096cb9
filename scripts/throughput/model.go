package main

import (
	"fmt"
	"os"
	"path/filepath"

	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
)

// realVocabulary is a model's file without weights, on machines that have one beside the repository.
var realVocabulary = filepath.Join("..", "shared", "models", "vocab-phi-3.gguf")

// randomModel returns the path of a model with 100 million random weights in Q4_K_M, and makes it where it is not in
// folder yet.
func randomModel(folder string) (string, error) {
	vocabulary := llamatest.SmallVocabulary()
	if _, err := os.Stat(realVocabulary); err == nil {
		if vocabulary, err = llamatest.VocabularyOf(realVocabulary); err != nil {
			return "", err
		}
	}
	shape, err := llamatest.Sized(100e6, vocabulary.Size())
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("random-%dx%d-%d", shape.Width, shape.Layers, vocabulary.Size())
	path := filepath.Join(folder, name+"-Q4_K_M.gguf")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	whole, part := path+".f16", path+".part"
	defer os.Remove(whole)
	defer os.Remove(part) // does nothing once it is renamed
	if err := llamatest.Write(whole, llamatest.Model{Name: name, Vocabulary: vocabulary, Shape: shape, Seed: 1}); err != nil {
		return "", err
	}
	if err := llama.Quantize(whole, part, "Q4_K_M"); err != nil {
		return "", err
	}
	return path, os.Rename(part, path)
}
