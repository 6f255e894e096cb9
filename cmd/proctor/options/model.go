package options

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"proctor/backends/engines"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts/dataset"
	"proctor/runner/journal"
)

// Showing has a model tell people what they should know.
func Showing(p *console.Program) registry.Options {
	return registry.Options{Warn: p.Warn, Note: p.Note, Draw: p.Draw()}
}

const orDefault = "it must be at least 1; leave the flag out for the default"

func above0(n int) bool { return n > 0 }

// OneModel takes a command's only argument for --model, and completes the model's name.
func OneModel(c *cli.Context) error {
	switch {
	case c.NArg() > 1:
		return fmt.Errorf("%s takes one MODEL, not %q; `proctor sweep` compares several", c.Command.Name, c.Args().Slice())
	case c.NArg() == 1 && c.IsSet("model"):
		return fmt.Errorf("%s takes one MODEL: %s as --model, or %s as the argument", c.Command.Name, c.String("model"), c.Args().First())
	}
	if _, err := journal.Begun(c.Args().First()); c.NArg() == 1 && err == nil {
		return fmt.Errorf("%s is a run, not a model; to go on with it: proctor run --resume %[1]s", c.Args().First())
	}
	typed := cmp.Or(c.Args().First(), c.String("model"))
	if ref := registry.Completed(typed, c.IsSet); ref != c.String("model") {
		return c.Set("model", ref)
	}
	return nil
}

// ModelFlags say which model is asked, and how it is run.
func ModelFlags(o *registry.Options) []cli.Flag {
	const category = "MODEL"
	o.Engines = KeptEngines()
	return append([]cli.Flag{
		&cli.StringFlag{
			Name: "model", Value: registry.Default, Destination: &o.Ref, Usage: "model `REF`: " + registry.Forms() + "; see models --help", Category: category,
		},
		&cli.StringFlag{
			Name: "slots", Value: flags.Auto, Usage: "decode `N` sequences at a time, or auto", Category: category,
			Action: flags.NumberOrAuto("slots", &o.Slots),
		},
		&cli.IntFlag{
			Name: "threads", DefaultText: "all cores", Destination: &o.Threads, Category: category,
			Usage: "compute on `N` threads",
			Action: func(c *cli.Context, n int) error {
				if err := registry.CheckThreads(n); err != nil {
					return fmt.Errorf("--threads %d: %w", n, err)
				}
				return flags.Valid("threads", above0, orDefault)(c, n)
			},
		},
		flags.Read("gpu-layers", category, "none",
			"put `N` layers on GPUs, all, or auto for as many as fit", func(text string) error {
				layers, err := GPULayers(text)
				o.GPULayers = &layers
				return err
			}),
		&cli.StringFlag{
			Name: "kv-type", Value: "f16", Destination: &o.KVType, Category: category,
			Usage: "element `TYPE` of the KV cache, as in q8_0, or k=q8_0,v=q5_1",
		},
		flags.Text(&o.Engine, "engine", category, registry.EngineVariable+", else "+registry.EngineAuto,
			"compute with the llama.cpp in `DIR` or of this name: builtin, auto, or see engine list"),
		&cli.StringSliceFlag{
			Name: "lora", Category: category,
			Usage: "add the LoRA adapter `FILE[=SCALE]` (GGUF); repeatable",
			Action: func(_ *cli.Context, files []string) (err error) {
				o.Adapters, err = adapters(files)
				return err
			},
		},
		&cli.StringFlag{
			Name: "kernels", Value: flags.Auto, Category: category,
			Usage: "CPU kernels `NAME`: auto, proctor (the fastest), ggml; bf16 and amx-bf16 change texts slightly",
			Action: func(_ *cli.Context, name string) error {
				if name != flags.Auto {
					o.Kernels = name
				}
				return nil
			},
		},
	}, memoryFlags(o)...)
}

// memoryFlags say how much a model may hold.
func memoryFlags(o *registry.Options) []cli.Flag {
	const category = "MODEL"
	return []cli.Flag{
		&cli.IntFlag{
			Name: "ctx", DefaultText: "what the longest prompt and --max-tokens need", Destination: &o.Context, Category: category,
			Usage: "context of `TOKENS` per slot", Action: flags.Valid("ctx", above0, orDefault),
		},
		flags.Read("memory-limit", category, "all free memory, or the container's limit",
			"use at most `BYTES` for weights, slots and scratch, as in 8GiB", func(text string) error {
				bytes, err := humanize.ParseBytes(text)
				if err != nil || bytes == 0 || bytes > math.MaxInt64 {
					return fmt.Errorf("--memory-limit %s: give a size, as in 8GiB or 500MB", text)
				}
				o.Memory = int64(bytes)
				return nil
			}),
		flags.Switch(&o.Verbose, "verbose", category, "show engine warnings and each failed request"),
	}
}

// adapters reads files of LoRA adapters, each with its scale.
func adapters(files []string) (all []registry.Adapter, err error) {
	for _, text := range files {
		a := registry.Adapter{Path: text, Scale: 1}
		if path, scale, found := strings.Cut(text, "="); found {
			a.Path = path
			if a.Scale, err = strconv.ParseFloat(scale, 64); err != nil || math.IsNaN(a.Scale) || math.IsInf(a.Scale, 0) {
				return nil, fmt.Errorf("--lora %s: the scale %q is not a number: give FILE or FILE=SCALE, as in adapter.gguf=0.5", text, scale)
			}
		}
		all = append(all, a)
	}
	return all, nil
}

// GPUFlags say which GPUs layers are put on.
func GPUFlags(o *registry.Options) []cli.Flag {
	const category = "GPU"
	return []cli.Flag{
		&cli.StringFlag{
			Name: "device", Aliases: []string{"dev"}, DefaultText: "all", Category: category,
			Usage:  "use the GPUs in `LIST`, named as `doctor` does: CUDA0,CUDA1",
			Action: func(_ *cli.Context, list string) error { o.Devices = strings.Split(list, ","); return nil },
		},
		&cli.StringFlag{
			Name: "tensor-split", Aliases: []string{"ts"}, DefaultText: "by their free memory", Category: category,
			Usage: "split the layers over the GPUs by the numbers in `LIST`, as in 3,1",
			Action: func(_ *cli.Context, list string) (err error) {
				o.TensorSplit, err = shares(list)
				return err
			},
		},
		flags.Text(&o.GGMLBackends, "ggml-backends", category,
			"PROCTOR_GGML_BACKENDS, else lib beside proctor",
			"load ggml's GPU backends, such as libggml-cuda.so, from `DIR`"),
	}
}

// GPURefusals are of flags that say nothing where no layers go to a GPU.
var GPURefusals = []flags.Refusal{
	{Flags: "device tensor-split ggml-backends", Without: "gpu-layers", Why: "goes with --gpu-layers: without it no layer is on a GPU"},
}

// GPULayers reads how many layers go to GPUs.
func GPULayers(text string) (int, error) {
	switch text {
	case "all":
		return registry.AllLayers, nil
	case flags.Auto:
		return registry.AutoLayers, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("--gpu-layers %s: give a number from 0, all, or auto", text)
	}
	return n, nil
}

// shares reads a list of numbers of which not all are 0.
func shares(list string) ([]float64, error) {
	var all []float64
	sum := 0.0
	for text := range strings.SplitSeq(list, ",") {
		share, err := strconv.ParseFloat(strings.TrimSpace(text), 32)
		if err != nil || !(share >= 0) || math.IsInf(share, 0) {
			return nil, fmt.Errorf("--tensor-split %s: %q is not a share: give a number for each GPU, as in 3,1", list, text)
		}
		all = append(all, share)
		sum += share
	}
	if sum == 0 {
		return nil, fmt.Errorf("--tensor-split %s: at least one share must be above 0", list)
	}
	return all, nil
}

// ServerFlags say how servers are asked, or that none is.
func ServerFlags(o *registry.Options) []cli.Flag {
	const category = "SERVERS"
	return []cli.Flag{
		flags.Words(&o.Servers, "servers", category, "the one that OPENAI_BASE_URL names",
			"spread openai:NAME over servers in `LIST`, which hold the same model; key: OPENAI_API_KEY"),
		&cli.PathFlag{
			Name: "vocabulary", Destination: &o.Vocabulary, Category: category,
			Usage: "count tokens of openai:NAME with the vocabulary of a GGUF `FILE`",
		},
		extraBodyFlag(&o.Body),
		HostsFlag(&o.Hosts, "spread ollama:NAME over Ollama servers in `LIST`, which hold the same model"),
		&cli.StringFlag{
			Name: "concurrency", Value: flags.Auto, Category: category, Action: flags.NumberOrAuto("concurrency", &o.Concurrency),
			Usage: "send `N` requests at a time to each server; auto probes for the fastest",
		},
		&cli.DurationFlag{
			Name: "timeout", DefaultText: "15m", Destination: &o.Timeout, Category: category,
			Usage:  "give up on an item after `TIME`, retries included, as in 90s or 10m",
			Action: flags.Valid("timeout", func(d time.Duration) bool { return d > 0 }, "it must be above 0, as in 90s"),
		},
		flags.Switch(&o.Pull, "pull", category, "let a server pull a model that it lacks"),
		InProcessFlag(o),
	}
}

// HostsFlag reads a list of servers; none stand for OLLAMA_HOST.
func HostsFlag(to *[]string, usage string) cli.Flag {
	return flags.Words(to, "ollama-hosts", "SERVERS", "the one that OLLAMA_HOST names", usage)
}

func InProcessFlag(o *registry.Options) cli.Flag {
	return flags.Switch(&o.InProcess, "in-process", "SERVERS", "run ollama:NAME from its file, without a server")
}

func TuneFlag(o *registry.Options) cli.Flag {
	return flags.Choice("tune", "MODEL", "before a long run, try slots and batch sizes and remember the fastest: auto or off",
		[]string{flags.Auto, "off"}, func(choice string) { o.Tune = choice == flags.Auto })
}

// IsolateFlag says whether the engine runs in a separate process.
func IsolateFlag(o *registry.Options) cli.Flag {
	o.EngineArgs = EngineArgs()
	o.Isolate = registry.IsolateAuto
	return &cli.StringFlag{
		Name: "isolate", Value: registry.IsolateAuto, Destination: &o.Isolate, Category: "MODEL",
		Usage: "compute in a separate process: on, off or auto; an item that crashes the engine twice is marked failed",
		Action: func(_ *cli.Context, word string) error {
			if err := registry.CheckIsolate(word); err != nil {
				return fmt.Errorf("--isolate %s: %w", word, err)
			}
			return nil
		},
	}
}

// The commands by which this program is an engine's process: one computes, the other says what an engine is.
const (
	EngineCommand   = "engine"
	ServeCommand    = "serve"
	DescribeCommand = "describe"
)

// EngineArgs have this program be the process of an engine.
func EngineArgs() []string { return []string{"proctor", EngineCommand, ServeCommand} }

// KeptEngines knows the engines of this machine.
func KeptEngines() engines.Store {
	s := engines.Store{
		Child: []string{"proctor", EngineCommand, DescribeCommand},
		Test:  []string{"doctor", "--self-test", "--format", "json", "--kernels"},
	}
	if data, err := dataset.Folder(); err == nil {
		s.Folder = filepath.Join(data, "engines")
	}
	return s
}
