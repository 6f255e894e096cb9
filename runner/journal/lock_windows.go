package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// LockExclusive takes a file for this process alone, until the file is closed. It does not wait: see [ErrLocked] and [ErrNoLocks].
func LockExclusive(f *os.File) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// lockShared keeps others from taking a file by LockExclusive, until it is closed.
func lockShared(f *os.File) error { return lock(f, 0) }

// lock locks one byte far behind the content: on Windows nobody can read or write a locked range.
func lock(f *os.File, how uint32) error {
	how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return ErrLocked
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return noLocks(err)
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}
