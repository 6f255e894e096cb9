package gguf

import (
	"path/filepath"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

// To open a pipe would wait for ever.
func TestAPipeIsRefusedUnopened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "model.gguf")
	assert.NilError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := Open(pipe)
	mustRefuse(t, err, "not a regular file")
}
