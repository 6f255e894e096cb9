//go:build unix

package machine

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// programOwn is the address space that the runtime and its threads take beyond what they have when a model is opened: threads' stacks
// and heaps reserve more than they use.
const programOwn = 1 << 30

// addressSpace is how many bytes of address space the process may still take, less what it needs itself; at least 1 where they are
// limited at all, else 0.
func addressSpace() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur >= 1<<60 {
		return 0
	}
	statm, err := os.ReadFile("/proc/self/statm") // in pages, the whole size first
	if err != nil {
		return 0
	}
	size, _, _ := strings.Cut(string(statm), " ")
	pages, _ := strconv.ParseInt(size, 10, 64)
	return max(int64(limit.Cur)-pages*int64(os.Getpagesize())-programOwn, 1)
}
