// Package benching holds the command bench, which measures speed: the lists of its flags are a grid of tests, or of ways to answer.
package benching

import (
	"cmp"
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/words"
	"proctor/runner/ask/bench"
)

// Bench measures speed.
func Bench(p *console.Program) *cli.Command {
	var o benchOptions
	w := words.Of("bench", "{formats}", strings.Join(bench.Formats, ", "))
	return w.Command(&cli.Command{
		Flags:  o.flags(w),
		Before: w.RefusingAlone(),
		Action: func(c *cli.Context) error {
			o.models, o.given = append(o.models, c.Args().Slice()...), c.LocalFlagNames()
			if err := o.findEngines(c.Context); err != nil {
				return err
			}
			if o.wantsGPUs() && len(o.releases) == 0 {
				if err := registry.LoadGPUs(); err != nil {
					return err
				}
			}
			engine := registry.InProcess()
			if err := o.complete(engine); err != nil {
				return err
			}
			if engine.Warning != "" {
				p.Warn(engine.Warning)
			}
			return measure(c.Context, p, &o, bench.Build{
				Commit: cmp.Or(o.release(o.engines[0]), engine.Commit), Backends: engine.ComputesOn,
				CPUs: strings.Join(engine.CPUs, ", "), GPUs: strings.Join(engine.GPUs, ", "),
			})
		},
	})
}

// measure has rows printed in the format that was asked for.
func measure(ctx context.Context, p *console.Program, o *benchOptions, build bench.Build) error {
	b := &bench.Bench{Build: build, Now: p.Now, Progress: p.Draw()}
	table := bench.Table{Build: build, Models: len(o.models), Show: o.show}
	ways := ways(p, o)
	for _, way := range ways {
		table.Ways = append(table.Ways, way.Name)
	}
	printer, err := bench.NewPrinter(o.format, p.Stdout, table)
	if err != nil {
		return err
	}
	if !o.eval {
		return b.Tests(ctx, openings(p, o), printer)
	}
	load, err := load(p, o)
	if err != nil {
		return err
	}
	return b.Evals(ctx, ways, load, printer)
}

// openings are the models to load, one after the other, in the ways to load them.
func openings(p *console.Program, o *benchOptions) []bench.Opening {
	first := o.gpus
	first.InProcess, first.Verbose, first.Engine = true, o.verbose, o.engines[0]
	all := each([]registry.Options{first}, o.models, func(o *registry.Options, ref string) { o.Ref = ref })
	all = each(all, o.gpuLayers, func(o *registry.Options, n int) { o.GPULayers = &n })
	all = each(all, o.mapped, func(o *registry.Options, mapped int) { o.Unmapped = mapped == 0 })
	var openings []bench.Opening
	for _, options := range each(all, o.kernels, func(o *registry.Options, name string) { o.Kernels = name }) {
		opening := opening(p, o, options)
		opening.Cases = o.cases(backends.EngineSettings{GPULayers: *options.GPULayers, Mapped: !options.Unmapped, Kernels: options.Kernels})
		openings = append(openings, opening)
	}
	return openings
}

func opening(p *console.Program, o *benchOptions, options registry.Options) bench.Opening {
	options.Warn, options.Note, options.Draw = p.Warn, p.Note, p.Draw()
	return bench.Opening{Ref: options.Ref, Release: o.release(options.Engine), Open: func(ctx context.Context) (backends.Model, error) {
		return registry.Model(ctx, options)
	}}
}
