package child

import "syscall"

// Linux ends a process with its parent even where it is stopped.
func init() { apart.Pdeathsig = syscall.SIGKILL }
