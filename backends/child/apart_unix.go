//go:build unix

package child

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// apart has a process get none of the terminal's signals.
var apart = &syscall.SysProcAttr{Setpgid: true}

// keepOutput returns standard output, and has what others print there go nowhere.
func keepOutput() (*os.File, error) {
	kept, err := unix.Dup(1)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(kept)
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer nowhere.Close()
	return os.NewFile(uintptr(kept), "pipe"), unix.Dup2(int(nowhere.Fd()), 1)
}

// signalName is a signal as C calls it.
func signalName(s syscall.Signal) string { return unix.SignalName(s) }
