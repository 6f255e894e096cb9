package benching

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/runner/ask/bench"
)

// benchOptions are the command's flags. Lists make a grid.
type benchOptions struct {
	batched, eval bool // else llama-bench's tests
	models        []string
	format        string
	repetitions   int
	cold          bool // no warm-up
	verbose       bool
	likeLlama     bool     // compute as llama-bench does
	show          []string // keys of the settings that vary, or are not the default
	given         []string // names of the flags that were given

	gpus     registry.Options  // of which the GPU flags fill theirs
	engines  []string          // names or folders; "" as the environment says, or what the model's file needs
	releases map[string]string // of the engines that are loaded, such as v0.5.0, by their name or folder
	computes string            // kernels that compute by themselves in the one that is loaded

	gpuLayers, batches, microbatches, threads []int
	flash, mapped                             []int // 0 and 1; of flash also autoFlash
	kernels, keys, values                     []string

	prompts, generated, pairs, depths, parallel []int
	shared                                      bool
	tests                                       []backends.EngineTest

	slots, concurrency []int // 0 and below: see autoSlots and plainLoop
	peers              []peer
	inProcess          bool
	rounds             int
	madeUp             bench.MadeUp
	data               options.Data // where the questions are real
	subjects           []string
}

// autoFlash leaves flash attention to llama.cpp.
const autoFlash = -1

// roundsOfModels are as many as it takes for an interval of the ratio.
const roundsOfModels = 6

// complete fills in what is not given: llama-bench's defaults but for the kernels, which are a run's, and with --exam all that the
// engine decides for one.
func (o *benchOptions) complete(engine registry.Engine) error {
	layers, batch, microbatch, threads, kernels, repetitions := 0, 2048, 512, engine.Cores, cmp.Or(o.computes, engine.Kernels), 5
	if o.likeLlama {
		kernels = ggmlKernels
	}
	if len(engine.GPUs) > 0 {
		layers = registry.AllLayers
	}
	switch {
	case o.batched:
		repetitions = 1
	case o.eval:
		batch, microbatch, threads, kernels, repetitions = 0, 0, 0, flags.Auto, 3
		if len(o.models)+len(o.engines) > 2 && !slices.Contains(o.given, "rounds") && !o.asksServers() {
			o.rounds, repetitions = roundsOfModels, 1
		}
		if slices.Contains(o.given, "rounds") {
			repetitions = 1
		}
	}
	o.repetitions = cmp.Or(o.repetitions, repetitions)
	if len(o.models) == 0 {
		o.models = []string{registry.Default}
	}
	orDefault(o, &o.gpuLayers, "n_gpu_layers", layers)
	orDefault(o, &o.batches, "n_batch", batch)
	orDefault(o, &o.microbatches, "n_ubatch", microbatch)
	orDefault(o, &o.threads, "n_threads", threads)
	orDefault(o, &o.mapped, "use_mmap", 1)
	orDefault(o, &o.kernels, "kernels", kernels)
	if attending := slices.ContainsFunc(o.kernels, attends); attending || len(o.flash) > 0 && !slices.Equal(o.flash, []int{0}) {
		o.show = append(o.show, "flash_attn")
		if attending {
			o.show = append(o.show, "kernels")
		}
	}
	orDefault(o, &o.keys, "type_k", "f16")
	orDefault(o, &o.values, "type_v", "f16")
	orDefault(o, &o.depths, "n_depth", 0)
	orDefault(o, &o.prompts, "n_prompt", 512)
	orDefault(o, &o.generated, "n_gen", 128)
	orDefault(o, &o.parallel, "pl", 1, 2, 4, 8)
	orDefault(o, &o.slots, "slots", autoSlots)
	orDefault(o, &o.concurrency, "slots", autoSlots)
	if slices.Contains(o.gpuLayers, registry.AutoLayers) && !o.eval {
		return errors.New("--n-gpu-layers auto goes with --exam: a test's row names its layers; give numbers, or all")
	}
	return o.findTests()
}

// findEngines finds those that are given, or that the environment names. Several are each run in a process of their own, since a process
// can hold one that is loaded.
func (o *benchOptions) findEngines(ctx context.Context) error {
	o.gpus.Engines, o.releases = options.KeptEngines(), map[string]string{}
	if len(o.engines) == 0 {
		o.engines = []string{os.Getenv(registry.EngineVariable)}
	}
	if len(o.engines) > 1 && !o.eval {
		return fmt.Errorf("--engine %s: several go with --exam; give one of them, or --exam", strings.Join(o.engines, ","))
	}
	for _, name := range o.engines {
		switch name {
		case "", registry.EngineAuto, registry.EngineBuiltin:
			continue
		}
		found, err := o.gpus.Engines.Find(ctx, name)
		if err != nil {
			return fmt.Errorf("--engine %w", err)
		}
		o.releases[name] = strings.TrimPrefix(found.Release, "llama.cpp ")
		o.computes = found.Kernels
	}
	if len(o.engines) > 1 {
		o.gpus.Isolate, o.gpus.EngineArgs = registry.IsolateOn, options.EngineArgs()
	}
	return nil
}

// release is that of an engine which is loaded; "" for others.
func (o *benchOptions) release(engine string) string { return o.releases[engine] }

// wantsGPUs says whether a flag is about GPUs.
func (o *benchOptions) wantsGPUs() bool {
	return slices.ContainsFunc(o.gpuLayers, func(n int) bool { return n != 0 }) || o.gpus.Devices != nil
}

// orDefault fills in a list's default, and shows a row's key where it is another one.
func orDefault[T comparable](o *benchOptions, list *[]T, key string, otherwise ...T) {
	if len(*list) == 0 {
		*list = otherwise
	}
	if !slices.Equal(*list, otherwise) {
		o.show = append(o.show, key)
	}
}

// findTests lists the tests, in llama-bench's order or in llama-batched-bench's.
func (o *benchOptions) findTests() error {
	if len(o.pairs)%2 != 0 {
		return fmt.Errorf("--pg %v: give pairs of prompt and generated tokens, as in 512,128", o.pairs)
	}
	first := backends.EngineTest{Batched: o.batched, Shared: o.shared, Repetitions: o.repetitions, WarmUp: !o.cold}
	if o.batched {
		o.tests = each([]backends.EngineTest{first}, o.prompts, func(t *backends.EngineTest, n int) { t.Prompt = n })
		o.tests = each(o.tests, o.generated, func(t *backends.EngineTest, n int) { t.Generate = n })
		o.tests = each(o.tests, o.parallel, func(t *backends.EngineTest, n int) { t.Parallel = n })
		return nil
	}
	for _, first.Depth = range o.depths {
		add := func(prompt, generate int) {
			if first.Prompt, first.Generate = prompt, generate; prompt+generate > 0 {
				o.tests = append(o.tests, first)
			}
		}
		for _, n := range o.prompts {
			add(n, 0)
		}
		for _, n := range o.generated {
			add(0, n)
		}
		for pair := range slices.Chunk(o.pairs, 2) {
			add(pair[0], pair[1])
		}
	}
	if len(o.tests) == 0 {
		return errors.New("-p 0 -n 0 leaves nothing to measure: give -p, -n or -pg some tokens")
	}
	return nil
}

// each returns every one of all with every value set: a grid's next dimension, which changes fastest.
func each[C, V any](all []C, values []V, set func(*C, V)) []C {
	var grid []C
	for _, one := range all {
		for _, value := range values {
			set(&one, value)
			grid = append(grid, one)
		}
	}
	return grid
}

// attends says whether kernels of a name have attention among them.
func attends(kernels string) bool { return kernels != ggmlKernels && kernels != flags.Auto }

// cases are the tests, in each of the settings, of a model that was loaded with some.
func (o *benchOptions) cases(loaded backends.EngineSettings) []bench.Case {
	all := each([]bench.Case{{Settings: loaded}}, o.batches, func(c *bench.Case, n int) { c.Settings.Batch = n })
	all = each(all, o.microbatches, func(c *bench.Case, n int) { c.Settings.Microbatch = n })
	all = each(all, o.keys, func(c *bench.Case, name string) { c.Settings.KeyType = name })
	all = each(all, o.values, func(c *bench.Case, name string) { c.Settings.ValueType = name })
	flash := o.flash
	switch {
	case len(flash) > 0:
	case attends(loaded.Kernels):
		flash = []int{1}
	default:
		flash = []int{0}
	}
	all = each(all, flash, func(c *bench.Case, on int) { c.Settings.FlashAttention, c.AutoFlash = on == 1, on == autoFlash })
	all = each(all, o.threads, func(c *bench.Case, n int) { c.Settings.Threads = n })
	return each(all, o.tests, func(c *bench.Case, t backends.EngineTest) { c.Test = t })
}
