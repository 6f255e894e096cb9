package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"proctor/backends/open"
)

// modelFlags say which model is asked, and how it is run.
func modelFlags() []cli.Flag {
	const category = "MODEL"
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Value: open.Default, Usage: "`REF` of the model: " + open.References, Category: category},
		&cli.StringFlag{Name: "slots", Value: auto, Usage: "sequences decoded at a time: `N`, or auto for what memory allows", Category: category},
		&cli.IntFlag{Name: "threads", DefaultText: "the cores that are there", Usage: "compute on `N` threads", Category: category},
		&cli.IntFlag{Name: "gpu-layers", DefaultText: "none", Usage: "put `N` layers on the GPU", Category: category},
		&cli.StringFlag{Name: "kv-type", Value: "f16", Usage: "element `TYPE` of the key/value cache, such as f16 or q8_0", Category: category},
		&cli.StringFlag{Name: "kernels", Value: auto, Usage: "`NAME` of what computes on the CPU: proctor (the fastest), ggml (llama.cpp as it is), or auto for proctor where it is compiled for this CPU", Category: category},
		&cli.IntFlag{Name: "ctx", DefaultText: "what the longest prompt and --max-tokens need", Usage: "how many `TOKENS` a slot can hold", Category: category},
		&cli.BoolFlag{Name: "verbose", Usage: "show the engine's warnings, and of a server each try that failed", Category: category},
	}
}

// serverFlags say how an Ollama server is asked, or that none is.
func serverFlags() []cli.Flag {
	const category = "OLLAMA"
	return []cli.Flag{
		hostsFlag("spread the items over servers, which must all hold the same model: a `LIST` as in 10.0.0.5:11434,10.0.0.6:11434"),
		&cli.StringFlag{Name: "concurrency", Value: auto, Usage: "requests in flight at each server: `N`, or auto for what a short probe finds fastest", Category: category},
		&cli.DurationFlag{Name: "timeout", DefaultText: "15m", Usage: "give an item up after `TIME`, all tries and waits counted, as in 90s or 10m", Category: category},
		&cli.BoolFlag{Name: "pull", Usage: "have a server that lacks the model pull it first", Category: category},
		inProcessFlag(),
	}
}

func hostsFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "ollama-hosts", DefaultText: "the one that OLLAMA_HOST names", Usage: usage, Category: "OLLAMA"}
}

func inProcessFlag() cli.Flag {
	return &cli.BoolFlag{Name: "in-process", Usage: "run ollama:NAME without a server: its GGUF file is taken from Ollama's local store", Category: "OLLAMA"}
}

// hostsOf reads --ollama-hosts; none stand for OLLAMA_HOST.
func hostsOf(c *cli.Context) []string {
	if !c.IsSet("ollama-hosts") {
		return nil
	}
	return strings.Split(c.String("ollama-hosts"), ",")
}

// modelOptions reads which model is asked and how it is run, of a verb that may have some of the flags only.
func (p program) modelOptions(c *cli.Context) (open.Options, error) {
	options := open.Options{
		Ref: c.String("model"), InProcess: c.Bool("in-process"), Given: c.LocalFlagNames(),
		Threads: c.Int("threads"), Context: c.Int("ctx"), KVType: c.String("kv-type"), Hosts: hostsOf(c), Pull: c.Bool("pull"),
		Timeout: c.Duration("timeout"), Quiet: c.Bool("quiet"), Verbose: c.Bool("verbose"), Warn: p.warn, Note: p.note, Draw: p.draw(),
	}
	if kernels := c.String("kernels"); kernels != auto {
		options.Kernels = kernels
	}
	if c.IsSet("gpu-layers") {
		layers := c.Int("gpu-layers")
		options.GPULayers = &layers
	}
	if c.IsSet("timeout") && options.Timeout <= 0 {
		return options, fmt.Errorf("--timeout %s: it must be above 0, as in 90s", options.Timeout)
	}
	for _, name := range []string{"threads", "ctx"} {
		if c.IsSet(name) && c.Int(name) < 1 {
			return options, fmt.Errorf("--%s %d: it must be at least 1; leave the flag out for the default", name, c.Int(name))
		}
	}
	if c.Int("gpu-layers") < 0 {
		return options, fmt.Errorf("--gpu-layers %d: it cannot be negative", c.Int("gpu-layers"))
	}
	var err error
	if options.Slots, err = numberOrAuto(c, "slots"); err != nil {
		return options, err
	}
	options.Concurrency, err = numberOrAuto(c, "concurrency")
	return options, err
}

// numberOrAuto reads a flag that is a number from 1, or auto, which is 0 here.
func numberOrAuto(c *cli.Context, name string) (int, error) {
	text := c.String(name)
	if text == auto || !c.IsSet(name) {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--%s %s: give a number from 1, or auto", name, text)
	}
	return n, nil
}

// draw shows a line on a terminal, in the place of the last one; nil where there is no terminal.
func (p program) draw() func(line string) {
	if !p.terminal {
		return nil
	}
	return func(line string) { fmt.Fprintf(p.stderr, "\r%s\x1b[K", line) }
}

func size(bytes int64) string { return humanize.IBytes(uint64(bytes)) }
