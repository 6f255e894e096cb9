package sharedtest

import (
	"os"
	"testing"
)

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
