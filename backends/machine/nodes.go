package machine

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Nodes are the NUMA nodes that have CPUs which the process may use, those below 64; nil where the system does not tell.
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
