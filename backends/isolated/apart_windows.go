package isolated

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart has a process get none of the terminal's signals.
func apart(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// pipesVariable is the environment variable that has the numbers of a process's pipes.
const pipesVariable = Variable + "_PIPES"

// passPipes adds the pipes to a process that has not started yet.
func passPipes(command *exec.Cmd, files []*os.File) error {
	var numbers []string
	for _, f := range files {
		handle := syscall.Handle(f.Fd())
		if err := syscall.SetHandleInformation(handle, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			return err
		}
		command.SysProcAttr.AdditionalInheritedHandles = append(command.SysProcAttr.AdditionalInheritedHandles, handle)
		numbers = append(numbers, fmt.Sprint(uintptr(handle)))
	}
	command.Env = append(command.Env, pipesVariable+"="+strings.Join(numbers, " "))
	return nil
}

// passedPipes are the pipes that this process was given.
func passedPipes() (files [pipeCount]*os.File, err error) {
	text := os.Getenv(pipesVariable)
	var numbers [pipeCount]uintptr
	if _, err := fmt.Sscan(text, &numbers[0], &numbers[1], &numbers[2], &numbers[3]); err != nil {
		return files, fmt.Errorf("%s=%s: %w", pipesVariable, text, err)
	}
	for i, number := range numbers {
		files[i] = os.NewFile(number, "pipe")
	}
	return files, nil
}

// signalName is for processes that die of a signal: none does here.
func signalName(s syscall.Signal) string { return s.String() }
