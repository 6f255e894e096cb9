package machine

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
)

const devices = "/sys/devices" // where Linux tells what the machine is made of

// Cores returns how many cores the process may compute on, at most a container's quota. Two CPUs may share a core. A thread
// beyond them would make the others wait for it.
func Cores() int {
	cores := runtime.NumCPU()
	if n := distinctCores(os.DirFS(devices), affinity()); n > 0 {
		cores = n
	}
	if quota := cpuQuota(); quota > 0 {
		cores = min(cores, quota)
	}
	return max(cores, 1)
}

// CPUs counts the CPUs that the process may use. Threads beyond them can't run at the same time: some hundred that wait for each
// other keep a small machine busy for minutes.
func CPUs() int { return max(len(affinity()), runtime.NumCPU()) }

// affinity are the numbers of the CPUs that the process may use; nil where the system does not tell.
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

// cpuQuota returns the whole CPUs that a container may use, at least 1; 0 where nothing limits it.
func cpuQuota() int {
	var quota, period int64
	if text, err := os.ReadFile("/sys/fs/cgroup/cpu.max"); err == nil {
		fmt.Sscanf(string(text), "%d %d", &quota, &period) // "max 100000" leaves both zero
	} else {
		sys := os.DirFS("/sys/fs/cgroup/cpu")
		quota, period = number(sys, "cpu.cfs_quota_us"), number(sys, "cpu.cfs_period_us")
	}
	if quota <= 0 || period <= 0 {
		return 0
	}
	return int(max(quota/period, 1))
}
