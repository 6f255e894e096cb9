package sharedtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Vectors returns the file of one of llama.cpp's vocabularies, texts, and the tokens that each has in it, without BOS.
// It skips the test as [LlamaCpp] does.
func Vectors(tb testing.TB, vocabulary string) (path string, texts []string, tokens [][]int32) {
	tb.Helper()
	path = filepath.Join(LlamaCpp(tb, "vocab"), "ggml-vocab-"+vocabulary+".gguf")
	read := func(ending, by string) []string {
		content, err := os.ReadFile(path + ending)
		if err != nil {
			tb.Fatal(err)
		}
		return strings.Split(string(content), by)
	}
	texts = read(".inp", "\n__ggml_vocab_test__\n")
	for _, line := range read(".out", "\n")[:len(texts)] {
		list := []int32{}
		for word := range strings.FieldsSeq(line) {
			token, err := strconv.ParseInt(word, 10, 32)
			if err != nil {
				tb.Fatalf("%s.out: %v", path, err)
			}
			list = append(list, int32(token))
		}
		tokens = append(tokens, list)
	}
	if len(texts) < 40 {
		tb.Fatalf("%s: %d texts, where llama.cpp has more than 40", path, len(texts))
	}
	return path, texts, tokens
}
