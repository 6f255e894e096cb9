package machine

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

const devices = "/sys/devices" // where Linux describes the machine

// Cores returns how many cores the process may compute on, at most the quota of a container or service. Two CPUs may share a core. A thread
// beyond them would make the others wait for it.
func Cores() int {
	cores := runtime.NumCPU()
	if n := distinctCores(os.DirFS(devices), affinity()); n > 0 {
		cores = n
	}
	if quota := groupLimit(cpuGroups); quota > 0 {
		cores = min(cores, int(quota))
	}
	return max(cores, 1)
}

// CPUs counts the CPUs that the process may use. Threads beyond them can't run at the same time: some hundred that wait for each
// other keep a small machine busy for minutes.
func CPUs() int { return max(len(affinity()), runtime.NumCPU()) }

// affinity are the numbers of the CPUs that the process may use; nil where the system does not say.
func affinity() []int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	return allowedCPUs(string(status))
}

// allowedCPUs reads the line "Cpus_allowed_list:	0-3,8" of /proc/self/status.
func allowedCPUs(status string) []int {
	_, after, _ := strings.Cut("\n"+status, "\nCpus_allowed_list:")
	list, _, _ := strings.Cut(after, "\n")
	return cpuList(list)
}

// cpuList reads a list of CPUs as Linux writes it, "0-3,8"; nil where it is none.
func cpuList(list string) []int {
	var cpus []int
	for span := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		first, last, ranged := strings.Cut(span, "-")
		if !ranged {
			last = first
		}
		low, err := strconv.Atoi(first)
		if err != nil {
			return nil
		}
		high, err := strconv.Atoi(last)
		if err != nil {
			return nil
		}
		for cpu := low; cpu <= high; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// distinctCores counts the cores that the CPUs are on; 0 where one is not known.
func distinctCores(devices fs.FS, cpus []int) int {
	seen := map[string]bool{}
	for _, cpu := range cpus {
		siblings, err := fs.ReadFile(devices, fmt.Sprintf("system/cpu/cpu%d/topology/thread_siblings_list", cpu))
		if err != nil {
			return 0
		}
		seen[string(siblings)] = true
	}
	return len(seen)
}

// slowest is the least speed, as a share of the fastest core's, of a core that counts as fast. Cores of one kind differ by
// some percent in the clock they may reach; those of two kinds by a quarter and more.
const slowest = 0.85

// FastCores returns how many of [Cores] are of the fast kind, on a CPU that has two kinds: performance and efficiency cores,
// or big and little ones. An operation ends when its last thread does, so slow cores can make the fast ones wait. It is the
// number of cores where all are alike or the system does not say.
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

// Nodes are the NUMA nodes that have CPUs which the process may use, those below 64; nil where the system does not say.
func Nodes() []int { return nodes(os.DirFS(devices), affinity()) }

func nodes(devices fs.FS, cpus []int) (with []int) {
	online, _ := fs.ReadFile(devices, "system/node/online")
	for _, node := range cpuList(string(online)) {
		list, _ := fs.ReadFile(devices, fmt.Sprintf("system/node/node%d/cpulist", node))
		if used := func(cpu int) bool { return slices.Contains(cpus, cpu) }; node < 64 && slices.ContainsFunc(cpuList(string(list)), used) {
			with = append(with, node)
		}
	}
	return with
}
