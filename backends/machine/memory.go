package machine

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
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
	if left := groupMemory(os.DirFS("/sys/fs"), string(self)); left > 0 && (free == 0 || left < free) {
		free = left
	}
	if left, limit := addressSpace(); limit > 0 && (free == 0 || left < free) {
		free = max(left, 1)
	}
	return free
}

// AddressSpaceLack says, as the end of a sentence, how far the process's limit (ulimit -v) is from leaving the needed bytes free; ""
// where it leaves them.
func AddressSpaceLack(need int64) string {
	left, limit := addressSpace()
	if limit == 0 || left >= need {
		return ""
	}
	const step = 1 << 20 // what is taken meanwhile may differ from run to run
	return fmt.Sprintf("ulimit -v %d leaves %s beside the program itself, and has to be %d at least", limit>>10,
		humanize.IBytes(uint64(max(left, 0))), ((limit-left+need)/step+1)*step>>10)
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

// A hierarchy of control groups is a version's names for what limits memory.
type hierarchy struct {
	mount, controller string   // below /sys/fs; as /proc/self/cgroup names it, empty for version 2
	limits            []string // the lowest counts
	used              string
}

var hierarchies = []hierarchy{
	{"cgroup", "", []string{"memory.max", "memory.high"}, "memory.current"},
	{"cgroup/unified", "", []string{"memory.max", "memory.high"}, "memory.current"},
	{"cgroup/memory", "memory", []string{"memory.limit_in_bytes"}, "memory.usage_in_bytes"},
}

// groupMemory is how many bytes the control groups that a process is in, and those above them, leave to it; 0 where none limits it.
// sys is /sys/fs, self what /proc/self/cgroup says. In a container of its own name space the process sees its group as the root.
func groupMemory(sys fs.FS, self string) int64 {
	left := int64(0)
	for _, h := range hierarchies {
		group, in := groupOf(self, h.controller)
		if !in {
			continue
		}
		for folder := path.Join(h.mount, group); ; folder = path.Dir(folder) {
			if free := h.free(sys, folder); free > 0 && (left == 0 || free < left) {
				left = free
			}
			if len(folder) <= len(h.mount) {
				break
			}
		}
	}
	return left
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

// free is what one group leaves, at least 1 where it limits at all; else 0.
func (h hierarchy) free(sys fs.FS, folder string) int64 {
	limit := int64(0)
	for _, file := range h.limits {
		if n := number(sys, path.Join(folder, file)); n > 0 && n < 1<<60 && (limit == 0 || n < limit) {
			limit = n
		}
	}
	if limit == 0 {
		return 0
	}
	stat, _ := fs.ReadFile(sys, path.Join(folder, "memory.stat"))
	return max(limit-number(sys, path.Join(folder, h.used))+fileCache(stat), 1)
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
