package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"proctor/scripts/tests/errortest"

	"gotest.tools/v3/assert"
)

func TestAFolderThatMayNotBeReadSaysWhatToDo(t *testing.T) {
	folder := t.TempDir()
	_, blob := add(t, folder, "m", "weights", nil)
	s := Store{[]string{folder}}
	for _, path := range []string{blob, filepath.Join(folder, "blobs"), filepath.Join(folder, "manifests")} {
		assert.NilError(t, os.Chmod(path, 0))
		asAnybody(func() {
			_, err := s.Find("m")
			assert.Check(t, errors.Is(err, fs.ErrPermission), "%s may not be read: %v", path, err)
			errortest.For(t, path, err, "OLLAMA_MODELS")
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
