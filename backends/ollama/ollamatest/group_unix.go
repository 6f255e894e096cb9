//go:build unix

package ollamatest

import (
	"errors"
	"syscall"
)

// group has a process begin a group of its own.
func group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// kill ends a group. Its number is that of its first process, which has not been waited for yet or has ended its group itself: then there
// is nobody left to kill.
func kill(group int) error {
	if err := syscall.Kill(-group, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
