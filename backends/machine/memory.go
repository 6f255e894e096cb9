package machine

import (
	"bytes"
	"fmt"
	"os"
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
	if left := groupLimit(memoryGroups); left > 0 && (free == 0 || left < free) {
		free = left
	}
	if left, limit := addressSpace(); limit > 0 && (free == 0 || left < free) {
		free = max(left, 1)
	}
	return free
}

// Resident returns the bytes of memory that this process holds, with its pages of files; 0 where that is unknown.
func Resident() int64 {
	statm, err := os.ReadFile("/proc/self/statm") // in pages: the whole size, then what is resident
	fields := strings.Fields(string(statm))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
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
