//go:build cgo

package kernels_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

// What a cache lies in asks for huge pages, whether the system gives them or not.
func TestCachesAskForHugePages(t *testing.T) {
	levels(t)
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this system has no huge pages to ask for: ", err)
	}
	const size = 64 << 20
	kernelstest.WithBuffer(size, func(memory []byte, _ func(byte)) {
		flags := noted(t, memory, "VmFlags:")
		assert.Check(t, slices.Contains(flags, "hg"), "the memory's flags are %q: it does not ask for huge pages", flags)
	})
}

// A cache that is cleared takes no memory until something is written there.
func TestClearedMemoryIsGivenBack(t *testing.T) {
	levels(t)
	const size = 64<<20 + 12345
	kernelstest.WithBuffer(size, func(memory []byte, fill func(byte)) {
		for _, value := range []byte{7, 0, 9, 0} {
			fill(value)
			resident, err := strconv.Atoi(noted(t, memory, "Rss:")[0]) // KiB
			assert.NilError(t, err)
			assert.Check(t, resident < 4<<10 == (value == 0), "%d KiB are resident after they were filled with %d", resident, value)
			assert.Check(t, bytes.Count(memory, []byte{value}) == size, "not all bytes are %d", value)
		}
	})
}

// noted is what the kernel notes in a field of the memory around the middle of some.
func noted(t *testing.T, memory []byte, field string) []string {
	t.Helper()
	address := uint64(uintptr(unsafe.Pointer(&memory[len(memory)/2])))
	maps, err := os.Open("/proc/self/smaps")
	assert.NilError(t, err)
	defer maps.Close()
	within := false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var first, end uint64
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &first, &end); n == 2 {
			within = first <= address && address < end
		}
		if value, ok := strings.CutPrefix(lines.Text(), field); ok && within {
			return strings.Fields(value)
		}
	}
	t.Fatalf("no memory at %#x has a field %s", address, field)
	return nil
}
