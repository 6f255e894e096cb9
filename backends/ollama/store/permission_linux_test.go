package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

func TestAFolderThatMayNotBeReadSaysWhatToDo(t *testing.T) {
	folder := t.TempDir()
	_, blob := add(t, folder, "m", "weights", nil)
	s := Store{[]string{folder}}
	for _, path := range []string{blob, filepath.Join(folder, "blobs"), filepath.Join(folder, "manifests")} {
		assert.NilError(t, os.Chmod(path, 0))
		asAnybody(func() {
			if _, err := s.Find("m"); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "OLLAMA_MODELS") {
				t.Errorf("%s may not be read: %v", path, err)
			}
		})
		assert.NilError(t, os.Chmod(path, 0o755))
	}
}

// asAnybody runs f without root's right to read everything, where the tests run as root.
func asAnybody(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked, so that the thread ends with the goroutine
		if os.Getuid() == 0 {
			const nobody = 65534
			syscall.Setfsuid(nobody)
		}
		f()
	}()
	<-done
}
