// Package sharedtest finds what some tests use and the repository does not hold: published questions, logs and
// reference texts, in a folder named shared beside the repository, published builds of llama.cpp, and what llama.cpp
// tests itself with. Only tests import it.
//
// scripts/test.sh counts the tests that skip here, by the words of [Path], [Engine] and [LlamaCpp].
package sharedtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Path returns where a file or folder of the shared folder is, or skips the test where it is not: "data/mmlu-pro",
// "models/vocab-phi-3.gguf".
func Path(tb testing.TB, name string) string {
	tb.Helper()
	path, there := Find(name)
	if !there {
		tb.Skipf("needs ../shared/%s, which is not here", name)
	}
	return path
}

// Find is [Path] for a test that can do without.
func Find(name string) (path string, there bool) {
	path = filepath.Join(filepath.Dir(repository()), "shared", filepath.FromSlash(name))
	_, err := os.Stat(path)
	return path, err == nil
}

// LlamaCpp returns the folder "templates" or "vocab" of what llama.cpp ships for its own tests, chat templates and
// vocabularies, or skips the test where they were not fetched.
func LlamaCpp(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(repository(), "build", "llama-cpp-models", name)
	if _, err := os.Stat(path); err != nil {
		tb.Skip("needs models of llama.cpp: make llama-cpp-models fetches them")
	}
	return path
}

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

// repository is the folder with go.mod in which or below which the test runs, or "/" where there is none.
func repository() string {
	folder, err := os.Getwd()
	for err == nil && folder != filepath.Dir(folder) {
		if _, missing := os.Stat(filepath.Join(folder, "go.mod")); missing == nil {
			break
		}
		folder = filepath.Dir(folder)
	}
	return folder
}

// EngineVariable names the folder of a published llama.cpp.
const EngineVariable = "PROCTOR_TEST_ENGINE"

// Engine returns the folder of a published llama.cpp to load, or skips the test where none is given. A process can load one.
func Engine(tb testing.TB) string {
	tb.Helper()
	folder := os.Getenv(EngineVariable)
	if folder == "" {
		tb.Skipf("needs a published llama.cpp: make engines fetches each release and sets %s", EngineVariable)
	}
	return folder
}
