package ollamatest

import (
	"errors"
	"syscall"
)

// group has nothing to set: a server is started by a shell's script.
func group() *syscall.SysProcAttr { return nil }

func kill(int) error { return errors.ErrUnsupported }
