//go:build unix && !solaris && !aix

package lock

import (
	"errors"
	"os"
	"syscall"
)

// Exclusive takes a file for this process alone, until the file is closed. It does not wait: see [ErrHeld] and [ErrNone].
func Exclusive(f *os.File) error { return take(f, syscall.LOCK_EX, syscall.Flock) }

// Shared keeps others from taking a file by Exclusive, until it is closed.
func Shared(f *os.File) error { return take(f, syscall.LOCK_SH, syscall.Flock) }

func take(f *os.File, how int, flock func(file, how int) error) error {
	err := flock(int(f.Fd()), how|syscall.LOCK_NB)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrHeld
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EINVAL):
		return none(err)
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}
