package ollamatest

import "syscall"

// group has nothing to set: a server is started by a shell's script.
func group() *syscall.SysProcAttr { return nil }
