package machine

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"
	"github.com/shirou/gopsutil/v4/mem"

	"proctor/backends"
)

// Host describes the machine that this program runs on; gpus are those that an engine sees.
func Host(gpus []string) backends.Host {
	host := backends.Host{CPU: cpuid.CPU.BrandName, Cores: runtime.NumCPU(), GPUs: gpus, OS: runtime.GOOS, Arch: runtime.GOARCH}
	if memory, err := mem.VirtualMemory(); err == nil {
		host.MemoryBytes = int64(memory.Total)
	}
	return host
}
