package main

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/llamacpp"
)

// modelFlags say which model is asked, and how it is run.
func modelFlags() []cli.Flag {
	const category = "MODEL"
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Value: embedded.Ref, Usage: "`REF` of the model: embedded, the path of a GGUF file, or ollama:NAME[:TAG] for one that an Ollama server has, as in ollama:llama3.2:3b", Category: category},
		&cli.StringFlag{Name: "slots", Value: auto, Usage: "sequences decoded at a time: `N`, or auto for what memory allows", Category: category},
		&cli.IntFlag{Name: "threads", DefaultText: "the cores that are there", Usage: "compute on `N` threads", Category: category},
		&cli.IntFlag{Name: "gpu-layers", DefaultText: "none", Usage: "put `N` layers on the GPU", Category: category},
		&cli.StringFlag{Name: "kv-type", Value: "f16", Usage: "element `TYPE` of the key/value cache, such as f16 or q8_0", Category: category},
		&cli.StringFlag{Name: "kernels", Value: auto, Usage: "`NAME` of what computes on the CPU: proctor (the fastest), ggml (llama.cpp as it is), or auto for proctor where it is compiled for this CPU", Category: category},
		&cli.IntFlag{Name: "ctx", DefaultText: "what the longest prompt and --max-tokens need", Usage: "how many `TOKENS` a slot can hold", Category: category},
		&cli.BoolFlag{Name: "verbose", Usage: "show the engine's warnings, and of a server each try that failed", Category: category},
	}
}

// engineOptions reads the flags of the in-process engine.
func (p program) engineOptions(c *cli.Context) (llamacpp.Options, error) {
	options := llamacpp.Options{
		Ref:       c.String("model"),
		Threads:   c.Int("threads"),
		GPULayers: c.Int("gpu-layers"),
		Context:   c.Int("ctx"),
		KVType:    c.String("kv-type"),
		Log:       p.engineLog(c.Bool("verbose")),
	}
	if kernels := c.String("kernels"); kernels != auto {
		options.Kernels = kernels
	}
	if slots := c.String("slots"); slots != auto {
		n, err := strconv.Atoi(slots)
		if err != nil || n < 1 {
			return options, fmt.Errorf("--slots %s: give a number from 1, or auto", slots)
		}
		options.Slots = n
	}
	return options, checkComputing(c)
}

// checkComputing checks the flags that every backend computes with.
func checkComputing(c *cli.Context) error {
	for _, name := range []string{"threads", "ctx"} {
		if c.IsSet(name) && c.Int(name) < 1 {
			return fmt.Errorf("--%s %d: it must be at least 1; leave the flag out for the default", name, c.Int(name))
		}
	}
	if c.Int("gpu-layers") < 0 {
		return fmt.Errorf("--gpu-layers %d: it cannot be negative", c.Int("gpu-layers"))
	}
	return nil
}

// engineLog passes warnings on to a person who wants to see them.
func (p program) engineLog(verbose bool) func(slog.Level, string) {
	return func(level slog.Level, text string) {
		if verbose && level >= slog.LevelWarn {
			p.warn(text)
		}
	}
}

// open loads the model that the options' Ref names into the in-process engine.
func (p program) open(ctx context.Context, options llamacpp.Options) (backends.Model, error) {
	if options.Ref == embedded.Ref {
		return embedded.Open(ctx, options)
	}
	var err error
	if options.Path, err = runnableFile(options.Ref); err != nil {
		return nil, err
	}
	options.Progress = p.loading(options.Ref)
	return llamacpp.Open(ctx, options)
}

// loading shows on a terminal how much of a model is read.
func (p program) loading(path string) func(share float64) {
	if !p.terminal {
		return nil
	}
	return func(share float64) {
		fmt.Fprintf(p.stderr, "\rloading %s %3.0f %%\x1b[K", path, 100*share)
		if share >= 1 {
			fmt.Fprint(p.stderr, "\r\x1b[K")
		}
	}
}

// allocationLine tells what a model set aside.
func allocationLine(a backends.Allocation) string {
	line := fmt.Sprintf("%s of %d tokens: weights %s + cache %s + scratch %s = %s",
		english.Plural(a.Slots, "slot", ""), a.Context, size(a.Weights), size(a.KV), size(a.Compute), size(a.Total()))
	if a.Available > 0 {
		line += fmt.Sprintf(" of %s free", size(a.Available))
	}
	if a.Calibration != "" {
		line += "; " + a.Calibration
	}
	return line
}

func size(bytes int64) string { return humanize.IBytes(uint64(bytes)) }
