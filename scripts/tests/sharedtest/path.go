// Package sharedtest finds what some tests use and the repository does not hold: published questions, logs and reference
// texts, in a folder named shared beside the repository, and published builds of llama.cpp. Only tests import it.
//
// scripts/test.sh counts the tests that skip here, by the words of [Path] and [Engine].
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
	folder, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(folder, "go.mod")); missing == nil {
			break
		}
		if folder == filepath.Dir(folder) {
			return "", false // in no module
		}
		folder = filepath.Dir(folder)
	}
	path = filepath.Join(filepath.Dir(folder), "shared", filepath.FromSlash(name))
	_, err = os.Stat(path)
	return path, err == nil
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
