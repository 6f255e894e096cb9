package child

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart has a process get none of the terminal's signals.
var apart = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}

// keepOutput returns standard output, and has what others print there go nowhere.
func keepOutput() (*os.File, error) {
	kept := os.Stdout
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	os.Stdout = nowhere
	return kept, windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(nowhere.Fd()))
}

// signalName is for processes that die of a signal: none does here.
func signalName(s syscall.Signal) string { return s.String() }
