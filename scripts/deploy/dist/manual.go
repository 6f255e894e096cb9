package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// emulators run programs for other architectures: Debian's qemu-user with the cross compiler's C library.
var emulators = map[string][]string{
	"amd64": {"qemu-x86_64", "-L", "/usr/x86_64-linux-gnu"},
	"arm64": {"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"},
}

// manual is the man page, which the program itself writes.
func (r release) manual(program string) []byte {
	command := []string{program, "man"}
	if r.arch != runtime.GOARCH {
		command = append(emulators[r.arch], command...)
	}
	page := exec.Command(command[0], command[1:]...)
	page.Stderr = os.Stderr
	written, err := page.Output()
	if err != nil {
		check(fmt.Errorf("the man page, by %q: %w", command, err))
	}
	return written
}
