package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/bench"
	"proctor/runner/ask/spec"
)

type benchOptions struct {
	eval        bool // an eval instead of llama-bench's tests
	models      []string
	model       registry.Options // how each model is opened
	format      string
	repetitions int
	cold        bool     // no warm-up
	show        []string // keys of the settings that are not the default
	given       []string // names of the flags that were given

	release  string // release of the loaded engine, such as v0.5.0
	computes string // kernels that the loaded engine uses by itself
	slower   string // the cost of ggml's kernels, if nobody asked for them

	prompt, generate int // tokens of the tests
	threads          int // of the tests, at most

	plain  bool // one question after the other, each from an empty cache
	rounds int
	madeUp bench.MadeUp
}

// ggmlKernels are llama.cpp's own kernels.
const ggmlKernels = "ggml"

// roundsOfModels is enough for an interval of the ratio.
const roundsOfModels = 6

// complete sets the defaults: llama-bench's, except for the kernels, which are a run's, and with --exam the engine's own choices.
func (o *benchOptions) complete(engine registry.Engine) error {
	if len(o.models) == 0 {
		o.models = []string{registry.Default}
	}
	if err := o.model.Set(o.model.Settings, nil); err != nil {
		return err
	}
	if o.eval {
		o.show = append(o.show, "kernels")
		repetitions := 3
		switch {
		case slices.Contains(o.given, "rounds"):
			repetitions = 1
		case len(o.models) > 1 && !o.asksServers():
			o.rounds, repetitions = roundsOfModels, 1
		}
		o.repetitions = cmp.Or(o.repetitions, repetitions)
		return nil
	}
	kernels, layers := cmp.Or(o.computes, engine.Kernels), backends.NoLayers
	if len(engine.GPUs) > 0 {
		layers = backends.AllLayers
	}
	o.repetitions = cmp.Or(o.repetitions, 5)
	if o.threads = cmp.Or(o.model.Threads, engine.Cores); o.threads != engine.Cores {
		o.show = append(o.show, "n_threads")
	}
	o.model.Kernels = cmp.Or(o.model.Kernels, kernels)
	if o.model.GPULayers = cmp.Or(o.model.GPULayers, layers); o.model.GPULayers != layers {
		o.show = append(o.show, "n_gpu_layers")
	}
	if o.attends() {
		o.show = append(o.show, "flash_attn", "kernels")
	} else if kernels != ggmlKernels {
		o.show = append(o.show, "kernels")
	}
	switch {
	case o.model.GPULayers == backends.AutoLayers:
		return errors.New("--gpu-layers auto goes with --exam: a test's row names its layers; give a number, or all")
	case o.prompt+o.generate == 0:
		return errors.New("-p 0 -n 0 leaves nothing to measure: give -p or -n some tokens")
	}
	return nil
}

// attends says whether tests use flash attention, which belongs to proctor's kernels.
func (o *benchOptions) attends() bool { return o.model.Kernels != ggmlKernels }

// findEngine finds the engine from the flag or the environment.
func (o *benchOptions) findEngine(ctx context.Context) error {
	o.model.Engines = console.KeptEngines()
	o.model.Engine = cmp.Or(o.model.Engine, os.Getenv(registry.EngineVariable))
	switch o.model.Engine {
	case "", registry.EngineAuto, registry.EngineBuiltin:
		return nil
	}
	found, err := o.model.Engines.Find(ctx, o.model.Engine, nil)
	if err != nil {
		return fmt.Errorf("--engine %w", err)
	}
	o.release, o.computes = strings.TrimPrefix(found.Release, "llama.cpp "), found.Kernels
	if !slices.Contains(o.given, "kernels") {
		offloaded := o.model.GPULayers == backends.AllLayers
		o.slower = backends.EngineInfo{Version: found.Release, KernelsBecause: found.Because, Offloaded: offloaded}.Slower()
	}
	return nil
}

// settings are the settings of the tests.
func (o *benchOptions) settings() backends.EngineSettings {
	m := &o.model
	return backends.EngineSettings{Batch: 2048, Microbatch: 512, Threads: o.threads,
		GPULayers: max(0, int(m.GPULayers)), FlashAttention: o.attends(), Kernels: m.Kernels}
}

// tests are llama-bench's two tests, unless they have no tokens.
func (o *benchOptions) tests() (all []backends.EngineTest) {
	for _, t := range []backends.EngineTest{{Prompt: o.prompt}, {Generate: o.generate}} {
		if t.Repetitions, t.WarmUp = o.repetitions, !o.cold; t.Prompt+t.Generate > 0 {
			all = append(all, t)
		}
	}
	return all
}

func (o *benchOptions) flags(w *flags.Words) []cli.Flag {
	o.format = bench.Formats[0]
	return slices.Concat(o.testFlags(w), o.evalFlags(w), []cli.Flag{
		w.Text("format", &o.format),
	})
}

var (
	atLeastOne  = flags.Valid(func(n int) bool { return n > 0 }, "it must be at least 1")
	atLeastNone = flags.Valid(func(n int) bool { return n >= 0 }, "it must be at least 0")
	atMost      = flags.Valid(func(n int) bool { return n <= spec.MostNumber },
		fmt.Sprintf("it must be at most %d", spec.MostNumber))
)

// testFlags choose what is measured, and how models compute.
func (o *benchOptions) testFlags(w *flags.Words) []cli.Flag {
	o.prompt, o.generate = 512, 128
	return append([]cli.Flag{
		w.Int("n-prompt", &o.prompt, atLeastNone, atMost),
		w.Int("n-gen", &o.generate, atLeastNone, atMost),
		w.Int("repetitions", &o.repetitions, atLeastOne, atMost),
		w.Switch("no-warmup", &o.cold),
	}, w.Pick(&o.model.Settings, "engine", "device", "threads", "gpu-layers", "kernels")...)
}

// evalFlags choose the questions, and how many are answered at a time.
func (o *benchOptions) evalFlags(w *flags.Words) []cli.Flag {
	o.rounds, o.madeUp = 1, bench.MadeUp{Questions: 48, Shared: 1018, Own: 220, Generate: 64}
	return []cli.Flag{
		w.Switch("exam", &o.eval),
		w.Read("slots", func(text string) error {
			if o.plain = text == plainName; o.plain {
				return nil
			}
			return spec.FieldOf(&o.model.Settings, "slots").Set(text)
		}),
		w.Pick(&o.model.Settings, "concurrency")[0],
		w.Int("rounds", &o.rounds, atLeastOne, atMost),
		w.Int("questions", &o.madeUp.Questions, atLeastOne, atMost),
		w.Int("shared", &o.madeUp.Shared, atLeastOne, atMost),
		w.Int("own", &o.madeUp.Own, atLeastOne, atMost),
		w.Int("max-tokens", &o.madeUp.Generate, atLeastOne, atMost),
	}
}
