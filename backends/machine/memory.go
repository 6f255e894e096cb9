package machine

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/mem"
)

// FreeMemory returns the bytes that this process may still take without swapping: what the machine has free, or less where
// a container limits it; 0 where that cannot be known.
func FreeMemory() int64 {
	free := int64(0)
	if memory, err := mem.VirtualMemory(); err == nil {
		free = int64(memory.Available)
	}
	for _, group := range []struct{ limit, used, cache string }{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat"},
	} {
		limit, used := number(group.limit), number(group.used)
		if limit <= 0 || limit >= 1<<60 {
			continue
		}
		stat, _ := os.ReadFile(group.cache)
		left := max(limit-used+fileCache(stat), 1)
		if free == 0 || left < free {
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

// number reads a file that holds one number; 0 where it does not.
func number(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}
