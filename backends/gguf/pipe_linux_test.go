package gguf

import (
	"path/filepath"
	"syscall"
	"testing"
)

// To open a pipe would wait for ever.
func TestAPipeIsRefusedUnopened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "model.gguf")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(pipe)
	mustRefuse(t, err, "not a regular file")
}
