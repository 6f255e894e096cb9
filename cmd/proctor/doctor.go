package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"proctor/backends/llamacpp"
	"proctor/prompts/dataset"
	"proctor/runner"
)

func (p program) doctor() *cli.Command {
	return &cli.Command{
		Name:        "doctor",
		Usage:       "tell what this machine offers: CPU features, memory, Ollama, datasets",
		Description: "   proctor doctor",
		Action:      p.doctorAction,
	}
}

func (p program) doctorAction(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	host, cpu := runner.Host(llamacpp.GPUs()), llamacpp.DescribeCPU()
	out := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("proctor", "%s", version)
	row("engine", "%s", llamacpp.Version)
	row("CPU", "%s", cpu.Name)
	row("cores", "%d, %d of them for the engine", host.Cores, llamacpp.PhysicalCores())
	row("compiled in", "%s", strings.Join(cpu.Compiled, " "))
	row("kernels", "%s", kernels())
	row("memory", "%s", size(host.MemoryBytes))
	row("GPUs", "%s", orNone(host.GPUs))
	row("Ollama", "%s", ollamaServer(c.Context))
	row("Ollama store", "%s", ollamaStore())
	if err := datasets(row); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if warning := cpu.Warning(); warning != "" {
		p.warn(warning)
	}
	return nil
}

// kernels tells what computes on this CPU.
func kernels() string {
	if name := llamacpp.DefaultKernels(); name != llamacpp.KernelsGGML {
		return name
	}
	return llamacpp.KernelsGGML + ": proctor's own, which are several times faster, need a CPU with AVX-512 and VNNI"
}

// datasets lists what --data can name.
func datasets(row func(name, format string, args ...any)) error {
	folder, err := dataset.Folder()
	if err != nil {
		return err
	}
	row("data folder", "%s", folder)
	sets, err := dataset.List(folder)
	if err != nil {
		return err
	}
	names := []string{dataset.SampleName}
	for _, set := range sets {
		names = append(names, set.Name)
	}
	row("datasets", "%s", strings.Join(names, ", "))
	return nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
