package bundle_test

import (
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/ask/bundle"
	"proctor/scripts/tests/errortest"
)

func TestWhereThereIsNoRoom(t *testing.T) {
	huge := filepath.Join(t.TempDir(), "huge.gguf")
	file, err := os.Create(huge)
	assert.NilError(t, err)
	defer file.Close()
	if err := file.Truncate(1 << 42); err != nil { // holes alone
		t.Skip(err)
	}
	folder := t.TempDir()
	_, err = bundle.Write(t.Context(), filepath.Join(folder, "b.tar"), about, []bundle.Source{{Path: "proctor", From: huge}}, quiet)
	errortest.For(t, "4 TiB", err, "are needed in")
	alone(t, folder)
}
