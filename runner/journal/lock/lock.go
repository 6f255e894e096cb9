// Package lock takes files for one process at a time, or for several that only read. A lock ends with the process that has it,
// also where that is killed, or is on another machine; nothing about a process id can say as much.
package lock

import (
	"errors"
	"fmt"
)

// ErrHeld is the error of a file that another process has.
var ErrHeld = errors.New("another process has it")

// ErrNone is the error of a file that cannot be locked: its file system, such as some network drives, or this system has no
// locks. Whoever goes on all the same has nothing that keeps another process away.
var ErrNone = errors.New("no locks in this file system")

// none says that there are no locks, and how the system said so.
func none(err error) error { return fmt.Errorf("%w (%w)", ErrNone, err) }
