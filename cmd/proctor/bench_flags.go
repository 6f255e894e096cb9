package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/bench"
)

// flags are the command's.
func (o *benchOptions) flags(w *flags.Words) []cli.Flag {
	o.format = bench.Formats[0]
	return slices.Concat(o.testFlags(w), o.evalFlags(w), []cli.Flag{
		w.Text("output", &o.format),
		w.Switch("verbose", &o.model.Verbose),
	})
}

var (
	atLeastOne  = flags.Valid(func(n int) bool { return n > 0 }, "it must be at least 1")
	atLeastNone = flags.Valid(func(n int) bool { return n >= 0 }, "it must be at least 0")
)

// testFlags say what is measured, and how models are computed.
func (o *benchOptions) testFlags(w *flags.Words) []cli.Flag {
	o.prompt, o.generate = 512, 128
	return []cli.Flag{
		flags.List(w, "model", &o.models, func(ref string) ([]string, error) { return []string{ref}, nil }),
		w.Int("n-prompt", &o.prompt, atLeastNone),
		w.Int("n-gen", &o.generate, atLeastNone),
		w.Int("repetitions", &o.repetitions, atLeastOne),
		w.Switch("no-warmup", &o.cold),
		w.Switch("like-llama-bench", &o.likeLlama),

		w.Text("engine", &o.model.Engine),
		w.Split("device", &o.model.Devices),
		w.Int("threads", &o.model.Threads, atLeastOne, func(_ string, n int) error {
			if err := registry.CheckThreads(n); err != nil {
				return fmt.Errorf("--threads %d: %w", n, err)
			}
			return nil
		}),
		w.Read("n-gpu-layers", func(text string) error {
			layers, err := console.GPULayers(text)
			o.model.GPULayers = &layers
			return err
		}),
		w.Text("kernels", &o.model.Kernels),
	}
}

// evalFlags say which questions are answered, and how many at a time.
func (o *benchOptions) evalFlags(w *flags.Words) []cli.Flag {
	o.rounds, o.madeUp = 1, bench.MadeUp{Questions: 48, Shared: 1018, Own: 220, Generate: 64}
	return []cli.Flag{
		w.Switch("exam", &o.eval),
		w.Text("slots", new(string), func(flag, text string) error {
			if text == plainName {
				o.plain = true
				return nil
			}
			return flags.NumberOrAuto(&o.model.Slots)(flag, text)
		}),
		w.Text("concurrency", new(string), flags.NumberOrAuto(&o.model.Concurrency)),
		w.Int("rounds", &o.rounds, atLeastOne),
		w.Int("questions", &o.madeUp.Questions, atLeastOne),
		w.Int("shared", &o.madeUp.Shared, atLeastOne),
		w.Int("own", &o.madeUp.Own, atLeastOne),
		w.Int("max-tokens", &o.madeUp.Generate, atLeastOne),
	}
}
