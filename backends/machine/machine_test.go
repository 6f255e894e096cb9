package machine

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/shirou/gopsutil/v4/cpu"
)

func TestTheMachineIsRead(t *testing.T) {
	if n := Cores(); n < 1 || n > runtime.NumCPU() {
		t.Errorf("%d cores of %d CPUs", n, runtime.NumCPU())
	}
	if runtime.GOOS == "linux" {
		if n := FreeMemory(); n < 1<<20 || n > 1<<50 {
			t.Errorf("%d bytes of memory", n)
		}
	}
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
		if got := allowedCPUs(test.line); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %v, want %v", test.line, got, test.want)
		}
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
		if got := nodes(test.devices, test.cpus); !slices.Equal(got, test.want) {
			t.Errorf("%s: nodes %v, want %v", test.name, got, test.want)
		}
	}
}

func TestTheHostIsDescribed(t *testing.T) {
	host := Host([]string{"a GPU"})
	if host.CPU == "" || host.Cores != runtime.NumCPU() || host.MemoryBytes < FreeMemory() || len(host.GPUs) != 1 ||
		host.OS != runtime.GOOS || host.Arch != runtime.GOARCH {
		t.Errorf("%+v", host)
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
		if err := os.WriteFile(filepath.Join(folder, "cpuinfo"), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("HOST_PROC", folder)
		read, err := cpu.Info()
		if err != nil {
			t.Fatal(err)
		}
		if got := coreNames(read); got != want {
			t.Errorf("%v: called %q, want %q", cores, got, want)
		}
	}
}
