//go:build unix

package journal

import (
	"errors"
	"os"
	"syscall"
)

// LockExclusive takes a file for this process alone, until the file is closed. It does not wait: see [ErrLocked] and [ErrNoLocks].
func LockExclusive(f *os.File) error { return lock(f, syscall.LOCK_EX, syscall.Flock) }

// lockShared keeps others from taking a file by LockExclusive, until it is closed.
func lockShared(f *os.File) error { return lock(f, syscall.LOCK_SH, syscall.Flock) }

func lock(f *os.File, how int, flock func(file, how int) error) error {
	err := flock(int(f.Fd()), how|syscall.LOCK_NB)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrLocked
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EINVAL):
		return noLocks(err)
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}
