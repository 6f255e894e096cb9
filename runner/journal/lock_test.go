//go:build linux || darwin

package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func openToLock(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	assert.NilError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestOneAloneHasAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	first, second, third := openToLock(t, path), openToLock(t, path), openToLock(t, path)
	for _, step := range []struct {
		take func(*os.File) error
		file *os.File
		want error
	}{
		{lockShared, first, nil}, {lockShared, second, nil}, {LockExclusive, third, ErrLocked}, {LockExclusive, first, ErrLocked},
	} {
		assert.Check(t, is.ErrorIs(step.take(step.file), step.want))
	}
	first.Close()
	second.Close()
	assert.Check(t, LockExclusive(third))
	assert.Check(t, is.ErrorIs(lockShared(openToLock(t, path)), ErrLocked))
}

func TestAFileSystemWithoutLocksIsToldFromOneThatFails(t *testing.T) {
	f := openToLock(t, filepath.Join(t.TempDir(), "file"))
	for err, without := range map[error]bool{
		syscall.ENOLCK: true, syscall.ENOSYS: true, syscall.EOPNOTSUPP: true, syscall.EINVAL: true,
		syscall.EIO: false, syscall.EINTR: false, syscall.EWOULDBLOCK: false,
	} {
		have := lock(f, syscall.LOCK_EX, func(int, int) error { return err })
		assert.Check(t, errors.Is(have, ErrNoLocks) == without && have != nil, "%v: %v", err, have)
	}
}

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
