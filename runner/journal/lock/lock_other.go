//go:build !unix || solaris || aix

package lock

import (
	"errors"
	"os"
)

// Exclusive has no locks to take.
func Exclusive(*os.File) error { return none(errors.ErrUnsupported) }

// Shared has no locks to take.
func Shared(*os.File) error { return none(errors.ErrUnsupported) }
