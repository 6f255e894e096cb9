//go:build !unix || solaris || aix

package journal

import (
	"errors"
	"os"
)

// LockExclusive has no locks to take.
func LockExclusive(*os.File) error { return noLocks(errors.ErrUnsupported) }

// lockShared has no locks to take.
func lockShared(*os.File) error { return noLocks(errors.ErrUnsupported) }
