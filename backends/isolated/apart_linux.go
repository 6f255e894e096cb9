package isolated

import (
	"os/exec"
	"syscall"
)

// apart has a process get none of the terminal's signals, and end with this one even where it is stopped.
func apart(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
