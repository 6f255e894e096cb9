//go:build unix && !linux

package child

import "syscall"

// apart has a process get none of the terminal's signals.
var apart = &syscall.SysProcAttr{Setpgid: true}
