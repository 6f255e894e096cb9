package machine

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// A hierarchy of control groups: each may limit something for the processes in it and in the groups below.
type hierarchy struct {
	mount, controller string                               // below /sys/fs; as /proc/self/cgroup names it, empty for version 2
	limit             func(sys fs.FS, folder string) int64 // what one group leaves, at least 1; 0 where it does not limit it
}

var memoryGroups = []hierarchy{
	{"cgroup", "", memoryLeft("memory.current", "memory.max", "memory.high")},
	{"cgroup/unified", "", memoryLeft("memory.current", "memory.max", "memory.high")},
	{"cgroup/memory", "memory", memoryLeft("memory.usage_in_bytes", "memory.limit_in_bytes")},
}

var cpuGroups = []hierarchy{
	{"cgroup", "", cpuMax}, {"cgroup/unified", "", cpuMax},
	{"cgroup/cpu", "cpu", func(sys fs.FS, folder string) int64 {
		return wholeCPUs(number(sys, path.Join(folder, "cpu.cfs_quota_us")), number(sys, path.Join(folder, "cpu.cfs_period_us")))
	}},
}

// groupLimit is the lowest limit of all control groups that this process is in, and of those above them; 0 where none limits it.
func groupLimit(of []hierarchy) int64 {
	self, _ := os.ReadFile("/proc/self/cgroup")
	return lowest(os.DirFS("/sys/fs"), string(self), of)
}

// lowest reads the groups: sys is /sys/fs, self what /proc/self/cgroup says. In a container of its own name space the process sees its
// group as the root.
func lowest(sys fs.FS, self string, of []hierarchy) (limit int64) {
	for _, h := range of {
		group, in := groupOf(self, h.controller)
		if !in {
			continue
		}
		for folder := path.Join(h.mount, path.Join("/", group)); ; folder = path.Dir(folder) {
			if n := h.limit(sys, folder); n > 0 && (limit == 0 || n < limit) {
				limit = n
			}
			if folder == h.mount {
				break
			}
		}
	}
	return limit
}

// groupOf finds the line "0::/user.slice" or "4:memory:/docker/1234".
func groupOf(self, controller string) (group string, in bool) {
	for line := range strings.Lines(self) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		for name := range strings.SplitSeq(parts[1], ",") {
			if name == controller {
				return parts[2], true
			}
		}
	}
	return "", false
}

// memoryLeft reads how many bytes a group leaves below the lowest of its limits; used and limits are names of files.
func memoryLeft(used string, limits ...string) func(fs.FS, string) int64 {
	return func(sys fs.FS, folder string) int64 {
		limit := int64(0)
		for _, file := range limits {
			if n := number(sys, path.Join(folder, file)); n > 0 && n < 1<<60 && (limit == 0 || n < limit) {
				limit = n
			}
		}
		if limit == 0 {
			return 0
		}
		stat, _ := fs.ReadFile(sys, path.Join(folder, "memory.stat"))
		return max(limit-number(sys, path.Join(folder, used))+fileCache(stat), 1)
	}
}

// cpuMax reads a quota of version 2.
func cpuMax(sys fs.FS, folder string) int64 {
	var quota, period int64
	text, _ := fs.ReadFile(sys, path.Join(folder, "cpu.max"))
	_, _ = fmt.Sscanf(string(text), "%d %d", &quota, &period) // "max 100000" leaves both zero
	return wholeCPUs(quota, period)
}

// wholeCPUs is how many CPUs a quota of time in each period is worth, at least 1; 0 where there is no quota.
func wholeCPUs(quota, period int64) int64 {
	if quota <= 0 || period <= 0 {
		return 0
	}
	return max(quota/period, 1)
}

// number reads a file that holds one number; 0 where it does not.
func number(from fs.FS, path string) int64 {
	text, err := fs.ReadFile(from, path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}
