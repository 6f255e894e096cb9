package machine

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// slowest is the least speed, as a share of the fastest core's, of a core that counts as fast. Cores of one kind differ by
// some percent in the clock they may reach; those of two kinds by a quarter and more.
const slowest = 0.85

// FastCores returns how many of [Cores] are of the fast kind, on a CPU that has two kinds: performance and efficiency cores,
// or big and little ones. An operation ends when its last thread does, so slow cores can make the fast ones wait. It is the
// number of cores where all are alike or the system does not tell.
func FastCores() int {
	all := Cores()
	sys, cpus := os.DirFS(devices), affinity()
	if n := distinctCores(sys, fastCPUs(sys, cpus)); n > 0 {
		return min(n, all)
	}
	return all
}

// fastCPUs are the CPUs on cores of the fast kind; nil where the system does not say.
func fastCPUs(devices fs.FS, cpus []int) []int {
	// Intel's performance cores; their clock alone does not tell them in every generation.
	if list, err := fs.ReadFile(devices, "cpu_core/cpus"); err == nil {
		named := cpuList(string(list))
		return slices.DeleteFunc(slices.Clone(cpus), func(cpu int) bool { return !slices.Contains(named, cpu) })
	}
	for _, measure := range []string{"cpu_capacity", "cpufreq/cpuinfo_max_freq"} {
		if speeds := speedsOf(devices, cpus, measure); speeds != nil {
			least := slowest * slices.Max(speeds)
			var fast []int
			for i, cpu := range cpus {
				if speeds[i] >= least {
					fast = append(fast, cpu)
				}
			}
			return fast
		}
	}
	return nil
}

// speedsOf reads a number of each of the CPUs; nil where one of them has none.
func speedsOf(devices fs.FS, cpus []int, measure string) []float64 {
	var speeds []float64
	for _, cpu := range cpus {
		text, err := fs.ReadFile(devices, fmt.Sprintf("system/cpu/cpu%d/%s", cpu, measure))
		if err != nil {
			return nil
		}
		speed, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if err != nil {
			return nil
		}
		speeds = append(speeds, speed)
	}
	return speeds
}
