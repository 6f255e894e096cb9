package journal

import (
	"errors"
	"fmt"
	"os"
)

// Files are locked for one process, or for several that only read. A lock ends with the process that has it, even where that
// is killed, or is on another machine; nothing about a process id can say as much.

// ErrLocked is the error of a file that another process has.
var ErrLocked = errors.New("another process has it")

// ErrNoLocks is the error of a file that cannot be locked: this system, or its file system, such as some network drives, has no locks.
// A caller that continues has no protection against a second process.
var ErrNoLocks = errors.New("no locks in this file system")

// noLocks wraps the system's error in ErrNoLocks.
func noLocks(err error) error { return fmt.Errorf("%w (%w)", ErrNoLocks, err) }

// taken locks a journal's file by take. Where the file system has no locks the run continues, and unlocked is the warning about that.
func taken(f *os.File, take func(*os.File) error) (unlocked string, err error) {
	err = take(f)
	switch {
	case errors.Is(err, ErrLocked):
		return "", fmt.Errorf("%s is being written by another process; wait for it, or start the run elsewhere", f.Name())
	case errors.Is(err, ErrNoLocks):
		return fmt.Sprintf("%s cannot be locked: %v; nothing keeps another process from writing to it meanwhile: see that none "+
			"does", f.Name(), err), nil
	}
	return "", err
}
