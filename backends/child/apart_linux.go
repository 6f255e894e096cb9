package child

import "syscall"

// apart has a process get none of the terminal's signals, and end with this one even where it is stopped.
var apart = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
