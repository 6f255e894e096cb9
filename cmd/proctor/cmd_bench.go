package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/runner/ask/bench"
)

// Bench measures speed.
func Bench(p *console.Program) *cli.Command {
	var o benchOptions
	w := console.WordsOf("bench", "{formats}", strings.Join(bench.Formats, ", "))
	return w.Command(&cli.Command{
		Flags:  o.flags(w),
		Before: w.RefusingAlone(),
		Action: func(c *cli.Context) error {
			o.models, o.given = c.Args().Slice(), c.LocalFlagNames()
			if err := o.findEngine(c.Context); err != nil {
				return err
			}
			onGPUs := o.model.GPULayers != 0 && o.model.GPULayers != backends.NoLayers || o.model.Devices != nil
			if onGPUs && o.release == "" {
				if err := registry.LoadGPUs(); err != nil {
					return err
				}
			}
			engine := registry.InProcess()
			if err := o.complete(engine); err != nil {
				return err
			}
			for _, warning := range []string{engine.Warning, o.slower} {
				if warning != "" {
					p.Warn(warning)
				}
			}
			return measure(c.Context, p, &o, bench.Build{
				Commit: cmp.Or(o.release, engine.Commit), Backends: engine.ComputesOn,
				CPUs: strings.Join(engine.CPUs, ", "), GPUs: strings.Join(engine.GPUs, ", "),
			})
		},
	})
}

// measure prints rows in the chosen format.
func measure(ctx context.Context, p *console.Program, o *benchOptions, build bench.Build) error {
	b := &bench.Bench{Build: build, Now: p.Now, Progress: p.Draw()}
	table := bench.Table{Build: build, Show: o.show}
	ways := ways(p, o)
	for _, way := range ways {
		table.Ways = append(table.Ways, way.Name)
	}
	printer, err := bench.NewPrinter(o.format, p.Stdout, table)
	if err != nil {
		return err
	}
	if !o.eval {
		var models []bench.Opening
		for _, ref := range o.models {
			options := o.model
			options.Model = ref
			models = append(models, opening(p, options))
		}
		return b.Tests(ctx, models, o.settings(), o.tests(), printer)
	}
	return b.Evals(ctx, ways, bench.Load{
		MadeUp: o.madeUp, Repetitions: o.repetitions, WarmUp: !o.cold, Rounds: o.rounds, Drawn: o.asksServers(),
		Compared: len(o.models) > 1 || slices.Contains(o.given, "rounds"),
	}, printer)
}

func opening(p *console.Program, options registry.Options) bench.Opening {
	options.Warn, options.Note, options.Draw = p.Warn, p.Note, p.Draw()
	return bench.Opening{Ref: options.Model, Open: func(ctx context.Context) (backends.Model, error) {
		return registry.OpenModel(ctx, options)
	}}
}

// plainName is the value of --slots for one question after the other, each from an empty cache, with flash attention as in llama.cpp.
const plainName = "plain"

func (o *benchOptions) asksServers() bool {
	return slices.ContainsFunc(o.models, func(ref string) bool { return !o.inProcess(ref) })
}

// inProcess says whether a model is run in-process.
func (o *benchOptions) inProcess(ref string) bool { return o.takes(ref, "slots") }

// takes says whether a flag applies to a model.
func (o *benchOptions) takes(ref, flag string) bool {
	options := o.model
	options.Model = ref
	return options.Takes(flag)
}

// ways are the ways to answer a load, one for each model. A flag that applies to none of the models stays among the given ones, and is
// refused when a model is opened.
func ways(p *console.Program, o *benchOptions) []bench.Way {
	useless := slices.DeleteFunc(slices.Clone(o.given), func(flag string) bool {
		return slices.ContainsFunc(o.models, func(ref string) bool { return o.takes(ref, flag) })
	})
	var all []bench.Way
	for _, ref := range o.models {
		options, way := o.model, bench.Way{}
		options.Model, options.Given = ref, useless
		switch {
		case !o.inProcess(ref):
			way.Name = setting.Auto
			if options.Concurrency > 0 {
				way.Name = fmt.Sprintf("in flight %d", options.Concurrency)
			}
			if options.Slots, options.Kernels = 0, ""; !slices.Contains(o.given, "gpu-layers") {
				options.GPULayers = 0
			}
		case o.plain:
			way.Name, way.Plain = plainName+" loop", true
			options.Slots, options.Like = 1, &backends.EngineInfo{Slots: 1, FlashAttention: true}
		case options.Slots == 0:
			way.Name = setting.Auto
		default:
			way.Name = fmt.Sprintf("slots %d", options.Slots)
		}
		if len(o.models) > 1 {
			way.Name = filepath.Base(ref) + ", " + way.Name
		}
		way.Opening = opening(p, options)
		all = append(all, way)
	}
	return all
}
