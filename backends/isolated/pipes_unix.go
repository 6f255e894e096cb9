//go:build unix

package isolated

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// passPipes adds the pipes to a process that has not started yet.
func passPipes(command *exec.Cmd, files []*os.File) error {
	command.ExtraFiles = files
	return nil
}

// passedPipes are the pipes that this process was given. They follow standard error.
func passedPipes() (files [pipeCount]*os.File, err error) {
	for i := range files {
		files[i] = os.NewFile(uintptr(3+i), "pipe")
	}
	return files, nil
}

// signalName is a signal as C calls it.
func signalName(s syscall.Signal) string { return unix.SignalName(s) }
