package machine

import (
	"fmt"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"
)

// cpusOf makes what Linux tells of CPUs 0, 1, …: each has the number under the name; two of them share a core.
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
