//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

func TestOnlyFilesWithAnEndAreOpened(t *testing.T) {
	folder := t.TempDir()
	pipe, file := filepath.Join(folder, "pipe"), filepath.Join(folder, "file")
	link := filepath.Join(folder, "link")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	assert.NilError(t, os.WriteFile(file, []byte("x"), 0o644))
	assert.NilError(t, os.Symlink(pipe, link))
	for path, want := range map[string]string{
		file: "", folder: "", pipe: "but a pipe", link: "but a pipe", os.DevNull: "but a device",
		filepath.Join(folder, "none"): "no such file",
	} {
		f, err := OpenRegular(path, os.O_RDONLY)
		f.Close()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
