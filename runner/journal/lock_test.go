//go:build linux || darwin

package journal

import (
	"errors"
	"os"
	"path/filepath"
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
