//go:build cgo

package kernels_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/kernels/kernelstest"
)

// What a cache lies in asks for huge pages, whether the system gives them or not.
func TestCachesAskForHugePages(t *testing.T) {
	if !kernels.Available() {
		t.Skip("there are no kernels for this CPU")
	}
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this system has no huge pages to ask for: ", err)
	}
	const size = 64 << 20
	kernelstest.WithBuffer(size, func(address uint64) {
		flags, err := flagsOf(address + size/2)
		assert.NilError(t, err)
		assert.Check(t, slices.Contains(flags, "hg"), "the memory's flags are %q: it does not ask for huge pages", flags)
	})
}

// flagsOf returns what the kernel notes of the memory around an address.
func flagsOf(address uint64) ([]string, error) {
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil, err
	}
	defer maps.Close()
	within := false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var first, end uint64
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &first, &end); n == 2 {
			within = first <= address && address < end
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && within {
			return strings.Fields(flags), nil
		}
	}
	return nil, fmt.Errorf("no memory at %#x has flags", address)
}
