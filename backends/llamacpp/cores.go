package llamacpp

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// PhysicalCores returns how many cores the process may compute on: its CPUs, two of which may share a core, and no
// more than a container's quota allows. A thread beyond them would make the others wait for it.
func PhysicalCores() int {
	cores := runtime.NumCPU()
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		if n := distinctCores(allowedCPUs(string(status)), coreOf); n > 0 {
			cores = n
		}
	}
	if quota := cpuQuota(); quota > 0 {
		cores = min(cores, quota)
	}
	return max(cores, 1)
}

// allowedCPUs reads the line "Cpus_allowed_list:	0-3,8" of /proc/self/status.
func allowedCPUs(status string) []int {
	for line := range strings.Lines(status) {
		list, found := strings.CutPrefix(line, "Cpus_allowed_list:")
		if !found {
			continue
		}
		var cpus []int
		for span := range strings.SplitSeq(strings.TrimSpace(list), ",") {
			first, last, ranged := strings.Cut(span, "-")
			low, err := strconv.Atoi(first)
			if err != nil {
				return nil
			}
			high := low
			if ranged {
				if high, err = strconv.Atoi(last); err != nil {
					return nil
				}
			}
			for cpu := low; cpu <= high; cpu++ {
				cpus = append(cpus, cpu)
			}
		}
		return cpus
	}
	return nil
}

// distinctCores counts the cores that the CPUs are on; 0 where one is not known.
func distinctCores(cpus []int, core func(cpu int) (string, bool)) int {
	seen := map[string]bool{}
	for _, cpu := range cpus {
		name, ok := core(cpu)
		if !ok {
			return 0
		}
		seen[name] = true
	}
	return len(seen)
}

func coreOf(cpu int) (string, bool) {
	topology := fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/", cpu)
	socket, err := os.ReadFile(topology + "physical_package_id")
	if err != nil {
		return "", false
	}
	core, err := os.ReadFile(topology + "core_id")
	if err != nil {
		return "", false
	}
	return string(socket) + "/" + string(core), true
}

// cpuQuota returns the whole CPUs that a container may use, at least 1; 0 where nothing limits it.
func cpuQuota() int {
	var quota, period int64
	if text, err := os.ReadFile("/sys/fs/cgroup/cpu.max"); err == nil {
		fmt.Sscanf(string(text), "%d %d", &quota, &period) // "max 100000" leaves both zero
	} else {
		quota, period = number("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), number("/sys/fs/cgroup/cpu/cpu.cfs_period_us")
	}
	if quota <= 0 || period <= 0 {
		return 0
	}
	return int(max(quota/period, 1))
}

// ticks is time of all CPUs together.
type ticks struct{ all, idle uint64 }

// statTicks reads the line "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ …" of /proc/stat.
func statTicks(stat string) (ticks, bool) {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[0] != "cpu" {
		return ticks{}, false
	}
	var t ticks
	for i, field := range fields[1:min(len(fields), 9)] { // guests, which follow, are counted as user time already
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return ticks{}, false
		}
		t.all += n
		if i == 3 || i == 4 {
			t.idle += n
		}
	}
	return t, true
}
