package registry

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"proctor/backends"
	"proctor/backends/embedded/selftest"
	"proctor/backends/engines"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/builtin"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/gpu"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/machine"
	"proctor/backends/setting"
)

// A Line is one thing that is known of this machine, for people.
type Line struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Advice is a possible improvement, and the one command that makes it.
type Advice struct {
	Why     string `json:"why"`
	Command string `json:"command"`
}

// Host describes this machine for a run's record.
func Host() backends.Host { return machine.Host(gpuNames(engine.Device.String)) }

// Engine is the one that runs models in this process.
type Engine struct {
	Commit     string   // of llama.cpp
	Version    string   // which llama.cpp, for people
	ComputesOn string   // as llama-bench says it
	CPUs, GPUs []string // that it sees
	Cores      int      // that it uses by itself
	Kernels    string   // that it computes with on the CPU by itself
	Warning    string   // why measurements with it are poor, usually empty
}

// InProcess describes the engine in this process: the one that is compiled in.
func InProcess() Engine {
	if !llama.HasBuiltin() {
		return Engine{Version: "none", Cores: machine.Cores(), Kernels: llamacpp.KernelsGGML}
	}
	own := llama.Builtin()
	return Engine{
		Commit: builtin.Commit, Version: builtin.Version, ComputesOn: own.ComputesOn(), CPUs: own.CPUs(),
		GPUs:  gpuNames(func(d engine.Device) string { return d.Description }),
		Cores: machine.Cores(), Kernels: llamacpp.DefaultKernels(), Warning: own.DescribeCPU().Warning(),
	}
}

// Machine describes this machine as the backends find it, and advises what would be better. It is an error where no run
// could start, since the requested kernels cannot compute here.
func Machine(ctx context.Context, kept engines.Store) ([]Line, []Advice, error) {
	lines, better, err := compiledIn()
	if err != nil {
		return nil, nil, err
	}
	pulled, err := kept.List(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range pulled {
		lines = append(lines, Line{"engine " + e.Name, inWords(e)})
	}
	if name := os.Getenv(EngineVariable); name != "" && name != EngineAuto && name != EngineBuiltin {
		chosen, err := kept.Find(ctx, name, nil)
		if err != nil {
			chosen.Problem = err.Error()
		}
		lines = append(lines, Line{EngineVariable, inWords(chosen)})
	}
	host := Host()
	memory := size(host.MemoryBytes)
	if free := machine.FreeMemory(); free > 0 { // that this process may take
		memory += fmt.Sprintf(", %s of it free", size(free))
	}
	lines = append(lines,
		Line{"CPU", host.CPU},
		Line{"cores", fmt.Sprintf("%d, %d of them for the engine", host.Cores, machine.Cores())},
		Line{"memory", memory},
	)
	var found Catalogue
	if err := listOllama(ctx, nil, &found); err != nil {
		lines = append(lines, Line{"Ollama", err.Error()})
	}
	if err := listProtocol(ctx, nil, &found); err != nil {
		return nil, nil, err
	}
	for _, at := range found.Servers {
		lines = append(lines, at.known)
		// Where it is not installed, nothing needs it.
		if _, err := exec.LookPath("ollama"); err == nil && at.known.Name == "Ollama" && at.Away != "" {
			better = append(better, Advice{"Ollama is installed and its server does not answer", "ollama serve"})
		}
	}
	return lines, better, nil
}

// inWords says what an engine is, or why it cannot be used.
func inWords(e engines.Engine) string {
	if e.Problem != "" {
		return e.Problem
	}
	computes := strings.Join(slices.Concat(e.Backends, e.GPUs), ", ")
	return fmt.Sprintf("%s: %s; kernels: %s", e, computes, e.KernelsInWords())
}

// compiledIn describes the engine that is compiled in, what it computes with, and what would make it faster.
func compiledIn() ([]Line, []Advice, error) {
	computes, err := kernels.Choice()
	if err != nil {
		return nil, nil, err
	}
	if own := llamacpp.DefaultKernels(); own == llamacpp.KernelsGGML {
		computes = own + "; of proctor's own, which are several times faster: " + computes
	} else {
		computes = own + ", " + computes
	}
	if err := llama.NeedBuiltin(llamacpp.WithoutBuiltin()); err != nil {
		return []Line{{"engine", "none: " + err.Error()}, {"kernels", computes}}, nil, nil
	}
	cpu := llama.Builtin().DescribeCPU()
	var faster []Advice
	if cpu.Warning() != "" {
		faster = append(faster, Advice{"llama.cpp was compiled without " + strings.Join(cpu.Unused, ", ") +
			", which this CPU has: it may be 20 times slower than it could be", "make build"})
	}
	if best := kernels.Supported(); kernels.Forced() && len(best) > 0 && os.Getenv(kernels.LevelVariable) != best[0] {
		faster = append(faster, Advice{kernels.LevelVariable + " keeps the kernels below " + best[0] + ", which this CPU has",
			"unset " + kernels.LevelVariable})
	}
	gpus, build := gpuLines()
	return append([]Line{
		{"engine", builtin.Version}, {"compiled in", strings.Join(cpu.Compiled, " ")}, {"kernels", computes},
	}, gpus...), append(faster, build...), nil
}

func size(bytes int64) string { return humanize.IBytes(uint64(bytes)) }

// LoadGPUs loads ggml's GPU backends, as a run does that asks for GPU layers.
func LoadGPUs() error {
	if err := llama.NeedBuiltin(""); err != nil {
		return err
	}
	_, err := gpu.Load()
	return err
}

// gpuNames are the names of the GPUs that the compiled-in engine sees.
func gpuNames(name func(engine.Device) string) []string {
	all := []string{}
	if !llama.HasBuiltin() {
		return all
	}
	for _, d := range llama.Builtin().GPUs() {
		all = append(all, name(d))
	}
	return all
}

// gpuLines list which GPUs the in-process engine can use, by which libraries, and what to do where one is idle.
func gpuLines() (lines []Line, build []Advice) {
	found, err := gpu.Load()
	for _, d := range llama.Builtin().GPUs() {
		lines = append(lines, Line{"GPU", fmt.Sprintf("%s, %s of them free (%s, %s)", d, size(d.Free),
			setting.GPULayers.As("auto"), setting.Device.As(d.Name))})
	}
	if len(lines) == 0 {
		for _, driver := range []struct{ files, makes string }{
			{"/dev/nvidiactl", "cuda"}, {"/dev/kfd", "rocm"}, {"/dev/dri/renderD*", "vulkan"},
		} {
			if there, _ := filepath.Glob(driver.files); len(there) > 0 && len(build) == 0 {
				build = append(build, Advice{"this machine has a GPU that ggml has no backend for", "make gpu-" + driver.makes})
			}
		}
		why := "no backend of ggml in " + strings.Join(found.Folders, ", ")
		if len(found.Refused) > 0 {
			why = "what was found is not loaded"
		} else if err != nil {
			why = err.Error()
		}
		lines = append(lines, Line{"GPUs", "none: " + why})
	}
	for _, path := range found.Libraries {
		lines = append(lines, Line{"GPU backend", path})
	}
	for _, why := range found.Refused {
		lines = append(lines, Line{"GPU backend", "not loaded: " + why})
	}
	return lines, build
}

// A Verdict says whether kernels compute right on this machine.
type Verdict = selftest.Verdict

// SelfTest has the control model answer questions whose texts are known, with kernels of this name (as
// [Options].Kernels) and in this process; with the engine in a folder, where that is not "".
func SelfTest(ctx context.Context, kernels, folder string) (Verdict, error) {
	return selftest.Known().Check(ctx, llamacpp.Options{Settings: backends.Settings{Kernels: kernels, Engine: folder}})
}

// SelfTests runs the self-test in child processes, for ggml's kernels and for proctor's at the level in use; of an
// engine that is not the one that is compiled in, for its kernels.
func SelfTests(ctx context.Context, engine engines.Engine) (all []Verdict, err error) {
	kernels := []string{engine.Kernels}
	if engine.Folder == "" {
		if err := llama.NeedBuiltin(""); err != nil {
			return nil, fmt.Errorf("there is nothing to test: %w", err)
		}
		kernels = slices.Compact([]string{llamacpp.KernelsGGML, llamacpp.DefaultKernels()})
	}
	for _, name := range kernels {
		options := llamacpp.Options{Settings: backends.Settings{Engine: engine.Folder, Kernels: name}}
		verdict, err := selftest.Apart(ctx, options)
		if err != nil {
			return nil, err
		}
		all = append(all, verdict)
	}
	return all, nil
}

// Remedies advises what to do where kernels compute wrong.
func Remedies(verdicts []Verdict) []Advice {
	for _, v := range verdicts { // ggml's are first: they compute what the others leave to them, too
		if v.OK() {
			continue
		}
		why := v.Name() + " computes wrong on this machine: "
		if v.Kernels == llamacpp.KernelsGGML {
			return []Advice{{why + "build the program here, and test the memory", "make clean build"}}
		}
		return []Advice{{why + "compute with llama.cpp's own kernels",
			"proctor run " + setting.Kernels.As(llamacpp.KernelsGGML)}}
	}
	return nil
}
