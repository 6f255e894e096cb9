package machine

import (
	"testing"
	"testing/fstest"
)

func TestTheControlGroupsAboveAProcessLimitItToo(t *testing.T) {
	files := func(pairs ...string) fstest.MapFS {
		all := fstest.MapFS{}
		for i := 0; i < len(pairs); i += 2 {
			all[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1] + "\n")}
		}
		return all
	}
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
		if got := groupMemory(c.sys, c.self); got != c.want {
			t.Errorf("%s: %d bytes are left, want %d", name, got, c.want)
		}
	}
}
