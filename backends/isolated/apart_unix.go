//go:build unix && !linux

package isolated

import (
	"os/exec"
	"syscall"
)

// apart has a process get none of the terminal's signals.
func apart(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
