package open

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/machine"
	"proctor/backends/ollama/store"
)

// A Line is one thing that is known of this machine, for people.
type Line struct{ Name, Text string }

// Host describes this machine for a run's record.
func Host() backends.Host { return machine.Host(llama.GPUs()) }

// Engine is the one that runs models in this process.
type Engine struct {
	Commit     string   // of llama.cpp
	ComputesOn string   // as llama-bench says it
	CPUs, GPUs []string // that it sees
	Cores      int      // that it uses by itself
	Warning    string   // what speaks against measuring with it, mostly empty
}

// InProcess describes the engine in this process.
func InProcess() Engine {
	return Engine{
		Commit: llama.Commit, ComputesOn: llama.ComputesOn(), CPUs: llama.CPUs(), GPUs: llama.GPUs(), Cores: machine.Cores(),
		Warning: llama.DescribeCPU().Warning(),
	}
}

// Machine tells what the backends find on this machine; warning is what speaks against running there, mostly empty. It is an
// error where nothing could run: what is asked of the kernels is not to be had.
func Machine(ctx context.Context) (lines []Line, warning string, err error) {
	level, err := kernels.Choice()
	if err != nil {
		return nil, "", err
	}
	cpu := llama.DescribeCPU()
	host, gpus := Host(), "none"
	if len(host.GPUs) > 0 {
		gpus = strings.Join(host.GPUs, ", ")
	}
	return []Line{
		{"engine", llama.Version},
		{"CPU", cpu.Name},
		{"cores", fmt.Sprintf("%d, %d of them for the engine", host.Cores, machine.Cores())},
		{"compiled in", strings.Join(cpu.Compiled, " ")},
		{"kernels", computes(level)},
		{"memory", size(host.MemoryBytes)},
		{"GPUs", gpus},
		{"Ollama", server(ctx)},
		{"Ollama store", stored()},
	}, cpu.Warning(), nil
}

// computes tells what computes on this CPU, given the level of proctor's kernels.
func computes(level string) string {
	if llamacpp.DefaultKernels() == llamacpp.KernelsGGML {
		return llamacpp.KernelsGGML + "; of proctor's own, which are several times faster: " + level
	}
	return llamacpp.DefaultKernels() + ", " + level
}

// server says which Ollama server answers.
func server(ctx context.Context) string {
	found, err := offers(ctx, nil)
	if err != nil {
		return err.Error()
	}
	if found[0].Away != nil {
		return silent(found[0].Server)
	}
	return fmt.Sprintf("server %s at %s", found[0].Version, found[0].Server)
}

// stored says what Ollama's local store holds, and what of it cannot be used.
func stored() string {
	local := store.Local()
	models, problems := local.List()
	var bytes int64
	counted := map[string]bool{}
	for _, m := range models {
		if !counted[m.Path] { // several names of one file
			counted[m.Path] = true
			bytes += m.Size
		}
	}
	text := "no models in " + strings.Join(local.Folders, " or ")
	if len(models) > 0 {
		text = fmt.Sprintf("%s, %s", english.Plural(len(models), "model", ""), size(bytes))
	}
	for _, problem := range problems {
		text += "; " + problem.Error()
	}
	return text
}

func size(bytes int64) string { return humanize.IBytes(uint64(bytes)) }
