package machine

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/shirou/gopsutil/v4/cpu"
	"gotest.tools/v3/assert"
)

func TestTheMachineIsRead(t *testing.T) {
	fast, all := FastCores(), Cores()
	assert.Check(t, 1 <= fast && fast <= all && all <= runtime.NumCPU(), "%d fast cores of %d of %d CPUs", fast, all, runtime.NumCPU())
	free := FreeMemory()
	assert.Check(t, runtime.GOOS != "linux" || 1<<20 <= free && free <= 1<<50, "%d bytes of memory", free)
	host := Host([]string{"a GPU"})
	assert.Check(t, host.CPU != "" && host.Cores == runtime.NumCPU() && host.MemoryBytes >= free && len(host.GPUs) == 1 &&
		host.OS == runtime.GOOS && host.Arch == runtime.GOARCH, "%+v", host)
}

func TestCPUListsAreRead(t *testing.T) {
	for _, test := range []struct {
		line string
		want []int
	}{
		{"Cpus_allowed_list:\t0-3,8,10-11\n", []int{0, 1, 2, 3, 8, 10, 11}},
		{"Name:\tx\nCpus_allowed_list:\t5\n", []int{5}},
		{"Cpus_allowed_list:\tnonsense\n", nil},
		{"Cpus_allowed_list:\t1-x\n", nil},
		{"Name:\tx\n", nil},
	} {
		assert.DeepEqual(t, allowedCPUs(test.line), test.want)
	}
}

func TestNodesWithCPUsAreFound(t *testing.T) {
	two := fstest.MapFS{
		"system/node/node0/cpulist": {Data: []byte("0-3,8-11\n")},
		"system/node/node1/cpulist": {Data: []byte("4-7\n")},
		"system/node/node2/cpulist": {Data: []byte("\n")}, // memory alone, such as that of an accelerator
		"system/node/online":        {Data: []byte("0-2\n")},
	}
	for _, test := range []struct {
		name    string
		devices fs.FS
		cpus    []int
		want    []int
	}{
		{"all", two, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []int{0, 1}},
		{"bound to one", two, []int{4, 5}, []int{1}},
		{"CPUs that are not known", two, nil, nil},
		{"a system that does not tell", fstest.MapFS{}, []int{0, 1}, nil},
	} {
		assert.DeepEqual(t, nodes(test.devices, test.cpus), test.want)
	}
}

// arm64's kernel gives numbers: of the maker, and of the core.
func TestCoresOfArmAreNamed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads Linux's /proc/cpuinfo")
	}
	for want, cores := range map[string][]string{
		"Neoverse-N1":             {"0x41 0xd0c", "0x41 0xd0c"},
		"Cortex-A55 + Cortex-A76": {"0x41 0xd05", "0x41 0xd05", "0x41 0xd0b"},
		"Apple 0x022":             {"0x61 0x022"},
		"ARM 0xfff":               {"0x41 0xfff"},
		"":                        nil,
	} {
		var text strings.Builder
		for i, core := range cores {
			maker, part, _ := strings.Cut(core, " ")
			fmt.Fprintf(&text, "processor\t: %d\nCPU implementer\t: %s\nCPU part\t: %s\nCPU revision\t: 1\n\n", i, maker, part)
		}
		folder := t.TempDir()
		assert.NilError(t, os.WriteFile(filepath.Join(folder, "cpuinfo"), []byte(text.String()), 0o600))
		t.Setenv("HOST_PROC", folder)
		read, err := cpu.Info()
		assert.NilError(t, err)
		assert.Equal(t, coreNames(read), want)
	}
}
