package machine

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"

	"proctor/backends"
)

// Host describes the machine that this program runs on; gpus are those that an engine sees.
func Host(gpus []string) backends.Host {
	host := backends.Host{CPU: cpuName(), Cores: runtime.NumCPU(), GPUs: gpus, OS: runtime.GOOS, Arch: runtime.GOARCH}
	if memory, err := mem.VirtualMemory(); err == nil {
		host.MemoryBytes = int64(memory.Total)
	}
	return host
}

// cpuName returns the CPU's own name. An arm64 CPU has a number instead of a name, and may have several kinds of cores.
func cpuName() string {
	if name := strings.TrimSpace(cpuid.CPU.BrandName); name != "" {
		return name
	}
	cores, _ := cpu.Info() // what it read before an error
	return cmp.Or(coreNames(cores), runtime.GOARCH)
}

// coreNames are the names of the cores, each kind once; where one has none, its maker and the number that it gave it.
func coreNames(cores []cpu.InfoStat) string {
	var names []string
	for _, c := range cores {
		name := c.ModelName
		if name == "" || name == "Undefined" {
			name = strings.TrimSpace(c.VendorID + " " + c.Model)
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " + ")
}
