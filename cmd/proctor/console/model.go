package console

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/backends/engines"
	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/prompts/dataset"
	"proctor/runner/journal"
)

// Showing has a model tell people what they should know.
func Showing(p *Program) registry.Options {
	return registry.Options{Engines: KeptEngines(), EngineArgs: EngineArgs(), Warn: p.Warn, Note: p.Note, Draw: p.Draw()}
}

var above0 = flags.Valid(func(n int) bool { return n > 0 }, "it must be at least 1; leave the flag out for the default")

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
	w := SharedWords
	o.Ref, o.KVType = registry.Default, "f16"
	return []cli.Flag{
		w.Text("model", &o.Ref),
		w.Text("slots", new(string), flags.NumberOrAuto(&o.Slots)),
		w.Int("threads", &o.Threads, func(_ string, n int) error {
			if err := registry.CheckThreads(n); err != nil {
				return fmt.Errorf("--threads %d: %w", n, err)
			}
			return nil
		}, above0),
		w.Read("gpu-layers", func(text string) error {
			layers, err := GPULayers(text)
			o.GPULayers = &layers
			return err
		}),
		w.Split("device", &o.Devices),
		w.Text("kv-type", &o.KVType),
		w.Text("engine", &o.Engine),
		flags.List(w, "lora", &o.Adapters, adapter),
		w.Read("kernels", func(name string) error {
			if name != flags.Auto {
				o.Kernels = name
			}
			return nil
		}),
		w.Int("ctx", &o.Context, above0),
		w.Switch("verbose", &o.Verbose),
	}
}

// adapter reads the file of a LoRA adapter, with its scale.
func adapter(text string) ([]registry.Adapter, error) {
	a := registry.Adapter{Path: text, Scale: 1}
	if path, scale, found := strings.Cut(text, "="); found {
		var err error
		a.Path = path
		if a.Scale, err = strconv.ParseFloat(scale, 64); err != nil || math.IsNaN(a.Scale) || math.IsInf(a.Scale, 0) {
			return nil, fmt.Errorf("%s: the scale %q is not a number: give FILE or FILE=SCALE, as in adapter.gguf=0.5", text, scale)
		}
	}
	return []registry.Adapter{a}, nil
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

// ServerFlags say how servers are asked.
func ServerFlags(o *registry.Options) []cli.Flag {
	w := SharedWords
	return []cli.Flag{
		w.Split("servers", &o.Servers),
		extraBodyFlag(&o.Body),
		w.Text("concurrency", new(string), flags.NumberOrAuto(&o.Concurrency)),
		w.Duration("timeout", &o.Timeout, flags.Valid(func(d time.Duration) bool { return d > 0 }, "it must be above 0, as in 90s")),
	}
}

// extraBodyFlag has servers get what proctor does not send them.
func extraBodyFlag(to **registry.Body) cli.Flag {
	return SharedWords.Read("extra-body", func(text string) (err error) {
		path, isFile := strings.CutPrefix(text, "@")
		where := "--extra-body"
		if isFile {
			if text, err = readText(path); err != nil {
				return fmt.Errorf("--extra-body: %w: what follows @ is a file with a JSON object", err)
			}
			where += " " + path
		}
		if *to, err = registry.ParseBody([]byte(text), !isFile); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		return nil
	})
}

func TuneFlag(o *registry.Options) cli.Flag {
	return SharedWords.Choice("tune", []string{flags.Auto, "off"}, func(choice string) { o.Tune = choice == flags.Auto })
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
