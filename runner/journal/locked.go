package journal

import (
	"errors"
	"fmt"
	"os"

	"proctor/runner/journal/lock"
)

// taken locks a journal's file by take. Where its file system has no locks the run goes on, and unlocked says what protects
// nothing then.
func taken(f *os.File, take func(*os.File) error) (unlocked string, err error) {
	err = take(f)
	switch {
	case errors.Is(err, lock.ErrHeld):
		return "", fmt.Errorf("%s is being written by another process; wait for it, or start the run elsewhere", f.Name())
	case errors.Is(err, lock.ErrNone):
		return fmt.Sprintf("%s cannot be locked: %v; nothing keeps another process from writing to it meanwhile: see that none "+
			"does", f.Name(), err), nil
	}
	return "", err
}
