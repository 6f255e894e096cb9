package bundle_test

import (
	"os"
	"path/filepath"
	"testing"

	"proctor/runner/ask/bundle"
	"proctor/scripts/tests/errortest"
)

func TestWhereThereIsNoRoom(t *testing.T) {
	huge := filepath.Join(t.TempDir(), "huge.gguf")
	file, err := os.Create(huge)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(1 << 42); err != nil { // holes alone
		t.Skip(err)
	}
	folder := t.TempDir()
	_, err = bundle.Write(t.Context(), filepath.Join(folder, "b.tar"), about, []bundle.Source{{Path: "proctor", From: huge}}, quiet)
	errortest.For(t, "4 TiB", err, "are needed in")
	alone(t, folder)
}
