//go:build unix

package ollamatest

import "syscall"

// group has a process begin a group of its own, which it can end alone.
func group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
