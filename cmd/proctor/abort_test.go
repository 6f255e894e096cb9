package main

import (
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"proctor/backends/llamacpp/llamatest"
)

// positions writes a model that llama.cpp gives up on where a text is longer than so many tokens, in a context that is: gpt2.gguf.
// Its positions are rows of a matrix, and ggml takes a row that is not there for a mistake of the program's.
func positions(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: positions FILE")
	}
	ts.Check(llamatest.Write(filepath.Join(ts.Getenv("WORK"), args[0]), llamatest.Model{
		Name: "positions", Architecture: llamatest.GPT2, Vocabulary: llamatest.SmallVocabulary(), Seed: 1,
		Shape: llamatest.Shape{Width: 64, Heads: 4, KVHeads: 4, Inner: 96, Layers: 1, Context: 512},
	}))
}
