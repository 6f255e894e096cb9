// Package sharedtest finds what some tests use and the repository does not hold: published questions, logs and
// reference texts, in a folder named shared beside the repository, published builds of llama.cpp, and what llama.cpp
// tests itself with. Only tests import it.
//
// scripts/test.sh counts the tests that skip here, by the words of [Path], [Engine] and [LlamaCpp].
package sharedtest

import (
	"os"
	"path/filepath"
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
