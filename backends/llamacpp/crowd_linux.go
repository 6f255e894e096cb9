package llamacpp

import (
	"os"
	"syscall"
	"time"
)

// takeSnapshot reads /proc/stat and this process's own use; false where that is not to be had.
func takeSnapshot() (snapshot, bool) {
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return snapshot{}, false
	}
	machine, ok := statTicks(string(content))
	var own syscall.Rusage
	if !ok || syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil {
		return snapshot{}, false
	}
	return snapshot{at: time.Now(), machine: machine, own: time.Duration(own.Utime.Nano() + own.Stime.Nano())}, true
}
