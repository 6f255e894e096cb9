//go:build linux || darwin

package lock

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestOneAloneHasAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	first, second, third := open(t, path), open(t, path), open(t, path)
	for i, step := range []struct {
		take func(*os.File) error
		file *os.File
		want error
	}{
		{Shared, first, nil}, {Shared, second, nil}, {Exclusive, third, ErrHeld}, {Exclusive, first, ErrHeld},
	} {
		if err := step.take(step.file); !errors.Is(err, step.want) {
			t.Errorf("step %d: %v, want %v", i, err, step.want)
		}
	}
	first.Close()
	second.Close()
	if err := Exclusive(third); err != nil {
		t.Error(err)
	}
	if err := Shared(open(t, path)); !errors.Is(err, ErrHeld) {
		t.Error(err)
	}
}

func TestAFileSystemWithoutLocksIsToldFromOneThatFails(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "file"))
	for err, without := range map[error]bool{
		syscall.ENOLCK: true, syscall.ENOSYS: true, syscall.EOPNOTSUPP: true, syscall.EINVAL: true,
		syscall.EIO: false, syscall.EINTR: false, syscall.EWOULDBLOCK: false,
	} {
		have := take(f, syscall.LOCK_EX, func(int, int) error { return err })
		if errors.Is(have, ErrNone) != without || have == nil {
			t.Errorf("%v: %v", err, have)
		}
	}
}
