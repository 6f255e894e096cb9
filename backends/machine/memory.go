package machine

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/mem"
)

// FreeMemory returns the bytes that this process may still take without swapping: what the machine has free, or less where
// a container or a limit of the process (ulimit -v) leaves less; 0 where that cannot be known.
func FreeMemory() int64 {
	free := int64(0)
	if memory, err := mem.VirtualMemory(); err == nil {
		free = int64(memory.Available)
	}
	self, _ := os.ReadFile("/proc/self/cgroup")
	for _, left := range []int64{groupMemory(os.DirFS("/sys/fs"), string(self)), addressSpace()} {
		if left > 0 && (free == 0 || left < free) {
			free = left
		}
	}
	return free
}

// fileCache reads what a container's memory.stat counts as used but would give back.
func fileCache(stat []byte) int64 {
	for line := range bytes.Lines(stat) {
		if fields := strings.Fields(string(line)); len(fields) == 2 &&
			(fields[0] == "inactive_file" || fields[0] == "total_inactive_file") {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n
		}
	}
	return 0
}
