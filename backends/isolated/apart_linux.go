package isolated

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// apart has a process get none of the terminal's signals, and end with this one even where it is stopped.
func apart(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// oomKills is how many processes the system has ended for want of memory.
func oomKills() int64 {
	content, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(content) {
		if count, found := bytes.CutPrefix(line, []byte("oom_kill ")); found {
			n, _ := strconv.ParseInt(string(bytes.TrimSpace(count)), 10, 64)
			return n
		}
	}
	return 0
}
