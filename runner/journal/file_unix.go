//go:build unix

package journal

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock takes the file for this process alone, until the file is closed.
func lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// lockShared keeps others from writing to the file, until it is closed.
func lockShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return fmt.Errorf("%s is being written by another process; wait for it, or start the run elsewhere", f.Name())
	case errors.Is(err, errors.ErrUnsupported):
		return nil // a file system without locks
	case err != nil:
		return fmt.Errorf("locking %s: %w", f.Name(), err)
	}
	return nil
}

// syncFolder makes a new file's name as durable as its content.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
