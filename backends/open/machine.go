package open

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/pbnjay/memory"

	"proctor/backends/llamacpp"
	"proctor/backends/ollama/store"
)

// A Line is one thing that is known of this machine, for people.
type Line struct{ Name, Text string }

// GPUs names those that the in-process engine sees.
func GPUs() []string { return llamacpp.GPUs() }

// Machine tells what the backends find on this machine; warning is what speaks against running there, mostly empty.
func Machine(ctx context.Context) (lines []Line, warning string) {
	cpu := llamacpp.DescribeCPU()
	gpus := "none"
	if found := GPUs(); len(found) > 0 {
		gpus = strings.Join(found, ", ")
	}
	return []Line{
		{"engine", llamacpp.Version},
		{"CPU", cpu.Name},
		{"cores", fmt.Sprintf("%d, %d of them for the engine", runtime.NumCPU(), llamacpp.PhysicalCores())},
		{"compiled in", strings.Join(cpu.Compiled, " ")},
		{"kernels", kernels()},
		{"memory", size(int64(memory.TotalMemory()))},
		{"GPUs", gpus},
		{"Ollama", server(ctx)},
		{"Ollama store", stored()},
	}, cpu.Warning()
}

// kernels tells what computes on this CPU.
func kernels() string {
	if name := llamacpp.DefaultKernels(); name != llamacpp.KernelsGGML {
		return name
	}
	return llamacpp.KernelsGGML + ": proctor's own, which are several times faster, need a CPU with AVX-512 and VNNI"
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
