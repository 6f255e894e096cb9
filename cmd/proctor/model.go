package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"proctor/backends/open"
)

// showing has a model tell people what they should know.
func (p program) showing() open.Options {
	return open.Options{Warn: p.warn, Note: p.note, Draw: p.draw()}
}

// modelFlags say which model is asked, and how it is run.
func modelFlags(o *open.Options) []cli.Flag {
	const category = "MODEL"
	const orDefault = "it must be at least 1; leave the flag out for the default"
	above0 := func(n int) bool { return n > 0 }
	return []cli.Flag{
		&cli.StringFlag{
			Name: "model", Value: open.Default, Destination: &o.Ref, Usage: "`REF` of the model: " + open.References, Category: category,
		},
		&cli.StringFlag{
			Name: "slots", Value: auto, Usage: "sequences decoded at a time: `N`, or auto for what memory allows", Category: category,
			Action: numberOrAuto("slots", &o.Slots),
		},
		&cli.IntFlag{
			Name: "threads", DefaultText: "the cores that are there", Destination: &o.Threads, Category: category,
			Usage: "compute on `N` threads", Action: valid("threads", above0, orDefault),
		},
		&cli.IntFlag{
			Name: "gpu-layers", DefaultText: "none", Usage: "put `N` layers on the GPU", Category: category,
			Action: func(_ *cli.Context, layers int) error {
				o.GPULayers = &layers
				return valid("gpu-layers", func(n int) bool { return n >= 0 }, "it cannot be negative")(nil, layers)
			},
		},
		&cli.StringFlag{
			Name: "kv-type", Value: "f16", Destination: &o.KVType, Category: category,
			Usage: "element `TYPE` of the key/value cache, such as f16 or q8_0",
		},
		&cli.StringFlag{
			Name: "kernels", Value: auto, Category: category,
			Usage: "`NAME` of what computes on the CPU: proctor (the fastest), ggml (llama.cpp as it is), " +
				"or auto for proctor where it is compiled for this CPU",
			Action: func(_ *cli.Context, name string) error {
				if name != auto {
					o.Kernels = name
				}
				return nil
			},
		},
		&cli.IntFlag{
			Name: "ctx", DefaultText: "what the longest prompt and --max-tokens need", Destination: &o.Context, Category: category,
			Usage: "how many `TOKENS` a slot can hold", Action: valid("ctx", above0, orDefault),
		},
		&cli.BoolFlag{
			Name: "verbose", Destination: &o.Verbose, Category: category,
			Usage: "show the engine's warnings, and of a server each try that failed",
		},
	}
}

// serverFlags say how an Ollama server is asked, or that none is.
func serverFlags(o *open.Options) []cli.Flag {
	const category = "OLLAMA"
	return []cli.Flag{
		hostsFlag(&o.Hosts, "spread the items over servers, which must all hold the same model: a "+
			"`LIST` as in 10.0.0.5:11434,10.0.0.6:11434"),
		&cli.StringFlag{
			Name: "concurrency", Value: auto, Category: category, Action: numberOrAuto("concurrency", &o.Concurrency),
			Usage: "requests in flight at each server: `N`, or auto for what a short probe finds fastest",
		},
		&cli.DurationFlag{
			Name: "timeout", DefaultText: "15m", Destination: &o.Timeout, Category: category,
			Usage:  "give an item up after `TIME`, all tries and waits counted, as in 90s or 10m",
			Action: valid("timeout", func(d time.Duration) bool { return d > 0 }, "it must be above 0, as in 90s"),
		},
		&cli.BoolFlag{Name: "pull", Destination: &o.Pull, Usage: "have a server that lacks the model pull it first", Category: category},
		inProcessFlag(o),
	}
}

// hostsFlag reads a list of servers; none stand for OLLAMA_HOST.
func hostsFlag(to *[]string, usage string) cli.Flag {
	return &cli.StringFlag{
		Name: "ollama-hosts", DefaultText: "the one that OLLAMA_HOST names", Usage: usage, Category: "OLLAMA",
		Action: func(_ *cli.Context, list string) error { *to = strings.Split(list, ","); return nil },
	}
}

func inProcessFlag(o *open.Options) cli.Flag {
	return &cli.BoolFlag{
		Name: "in-process", Destination: &o.InProcess, Category: "OLLAMA",
		Usage: "run ollama:NAME without a server: its GGUF file is taken from Ollama's local store",
	}
}

// numberOrAuto reads a flag that is a number from 1, or auto, which is 0 here.
func numberOrAuto(name string, to *int) func(*cli.Context, string) error {
	return func(_ *cli.Context, text string) error {
		if text == auto {
			return nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("--%s %s: give a number from 1, or auto", name, text)
		}
		*to = n
		return nil
	}
}

func size(bytes int64) string { return humanize.IBytes(uint64(bytes)) }
