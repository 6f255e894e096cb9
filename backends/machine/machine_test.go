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
	is "gotest.tools/v3/assert/cmp"
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
	two := files("system/node/node0/cpulist", "0-3,8-11", "system/node/node1/cpulist", "4-7", "system/node/online", "0-2",
		"system/node/node2/cpulist", "") // memory alone, such as that of an accelerator
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

// files are those of Linux by their names, each before its content.
func files(pairs ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1] + "\n")}
	}
	return all
}

func TestTheControlGroupsAboveAProcessLimitItToo(t *testing.T) {
	for name, c := range map[string]struct {
		sys  fstest.MapFS
		self string
		want int64
	}{
		"no groups at all":   {files(), "", 0},
		"a group without":    {files("cgroup/memory.max", "max", "cgroup/memory.current", "5"), "0::/", 0},
		"a container's root": {files("cgroup/memory.max", "1000", "cgroup/memory.current", "300"), "0::/", 700},
		"its file cache is given back": {files("cgroup/memory.max", "1000", "cgroup/memory.current", "300",
			"cgroup/memory.stat", "anon 100\ninactive_file 150"), "0::/", 850},
		"a service's own group": {files("cgroup/system.slice/p.service/memory.max", "1000",
			"cgroup/system.slice/p.service/memory.current", "400"), "0::/system.slice/p.service", 600},
		"the group above is smaller": {files("cgroup/user.slice/memory.max", "500", "cgroup/user.slice/memory.current", "450",
			"cgroup/user.slice/a/memory.max", "1000", "cgroup/user.slice/a/memory.current", "10"), "0::/user.slice/a", 50},
		"high slows it down before max": {files("cgroup/a/memory.max", "1000", "cgroup/a/memory.high", "800",
			"cgroup/a/memory.current", "300"), "0::/a", 500},
		"nothing is left": {files("cgroup/a/memory.max", "1000", "cgroup/a/memory.current", "1200"), "0::/a", 1},
		"another's group": {files("cgroup/b/memory.max", "1000"), "0::/a", 0},
		"version 1": {files("cgroup/memory/docker/x/memory.limit_in_bytes", "1000", "cgroup/memory/docker/x/memory.usage_in_bytes", "100",
			"cgroup/memory/memory.limit_in_bytes", "9223372036854771712"), "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n0::/", 900},
		"version 1 of a container": {files("cgroup/memory/memory.limit_in_bytes", "1000", "cgroup/memory/memory.usage_in_bytes", "100"),
			"4:memory:/docker/x", 900},
	} {
		assert.Check(t, is.Equal(lowest(c.sys, c.self, memoryGroups), c.want), "%s", name)
	}
}

func TestTheLeastCPUQuotaOfAllControlGroupsCounts(t *testing.T) {
	for name, c := range map[string]struct {
		sys  fstest.MapFS
		self string
		want int64
	}{
		"no groups at all":   {files(), "", 0},
		"a group without":    {files("cgroup/cpu.max", "max 100000"), "0::/", 0},
		"a container's root": {files("cgroup/cpu.max", "250000 100000"), "0::/", 2},
		"less than a CPU":    {files("cgroup/cpu.max", "50000 100000"), "0::/", 1},
		"a service's own group": {files("cgroup/system.slice/p.service/cpu.max", "300000 100000", "cgroup/system.slice/cpu.max", "max 100000"),
			"0::/system.slice/p.service", 3},
		"the slice above has less": {files("cgroup/user.slice/cpu.max", "200000 100000", "cgroup/user.slice/a.scope/cpu.max", "800000 100000"),
			"0::/user.slice/a.scope", 2},
		"the slice above has more": {files("cgroup/user.slice/cpu.max", "800000 100000", "cgroup/user.slice/a.scope/cpu.max", "200000 100000"),
			"0::/user.slice/a.scope", 2},
		"outside of its name space": {files("cgroup/cpu.max", "200000 100000"), "0::/../a.scope", 2},
		"version 1": {files("cgroup/cpu/docker/x/cpu.cfs_quota_us", "400000", "cgroup/cpu/docker/x/cpu.cfs_period_us", "100000",
			"cgroup/cpu/docker/cpu.cfs_quota_us", "300000", "cgroup/cpu/docker/cpu.cfs_period_us", "100000",
			"cgroup/cpu/cpu.cfs_quota_us", "-1", "cgroup/cpu/cpu.cfs_period_us", "100000"), "5:cpu,cpuacct:/docker/x\n0::/", 3},
	} {
		assert.Check(t, is.Equal(lowest(c.sys, c.self, cpuGroups), c.want), "%s", name)
	}
}

// cpusOf makes Linux's files on CPUs 0, 1, …: each has the number under the name; two of them share a core.
func cpusOf(measure string, numbers ...int) fstest.MapFS {
	files := fstest.MapFS{}
	for cpu, n := range numbers {
		folder := fmt.Sprintf("system/cpu/cpu%d/", cpu)
		files[folder+measure] = &fstest.MapFile{Data: fmt.Appendf(nil, "%d\n", n)}
		files[folder+"topology/thread_siblings_list"] = &fstest.MapFile{Data: fmt.Appendf(nil, "%d-%d\n", cpu/2*2, cpu/2*2+1)}
	}
	return files
}

func TestFastCoresAreThoseOfTheFastKind(t *testing.T) {
	const capacity, clock = "cpu_capacity", "cpufreq/cpuinfo_max_freq"
	intel := cpusOf(clock, 5000000, 5000000, 5000000, 5000000, 4600000, 4600000, 4600000, 4600000)
	intel["cpu_core/cpus"] = &fstest.MapFile{Data: []byte("0-3\n")}
	unknown := cpusOf(clock, 5000000, 5000000, 3300000, 3300000)
	delete(unknown, "system/cpu/cpu2/"+clock)
	for _, test := range []struct {
		name    string
		devices fstest.MapFS
		allowed []int
		fast    []int
		cores   int
	}{
		{"performance cores are named", intel, []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{0, 1, 2, 3}, 2},
		{"only some of them are allowed", intel, []int{1, 4, 5}, []int{1}, 1},
		{"none of them is allowed", intel, []int{4, 5}, []int{}, 0},
		{"big and little", cpusOf(capacity, 1024, 1024, 430, 430), []int{0, 1, 2, 3}, []int{0, 1}, 1},
		{"by the clock", cpusOf(clock, 5000000, 5000000, 3300000, 3300000), []int{0, 1, 2, 3}, []int{0, 1}, 1},
		{"some cores boost a little higher", cpusOf(clock, 5000000, 4800000, 4600000, 4500000), []int{0, 1, 2, 3}, []int{0, 1, 2, 3}, 2},
		{"the slow ones alone are allowed", cpusOf(capacity, 1024, 1024, 430, 430), []int{2, 3}, []int{2, 3}, 1},
		{"one does not tell", unknown, []int{0, 1, 2, 3}, nil, 0},
		{"nothing is known", fstest.MapFS{}, []int{0, 1}, nil, 0},
	} {
		fast := fastCPUs(test.devices, test.allowed)
		assert.DeepEqual(t, fast, test.fast)
		assert.Equal(t, distinctCores(test.devices, fast), test.cores, test.name)
	}
}
