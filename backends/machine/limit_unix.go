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

// addressSpace is how many bytes of address space the process may still take, less what it needs itself, which may be less than 0;
// and the limit, 0 where there is none.
func addressSpace() (left, limit int64) {
	var is syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &is); err != nil || is.Cur >= 1<<60 {
		return 0, 0
	}
	statm, err := os.ReadFile("/proc/self/statm") // in pages, the whole size first
	if err != nil {
		return 0, 0
	}
	size, _, _ := strings.Cut(string(statm), " ")
	pages, _ := strconv.ParseInt(size, 10, 64)
	return int64(is.Cur) - pages*int64(os.Getpagesize()) - programOwn, int64(is.Cur)
}
