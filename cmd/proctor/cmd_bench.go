package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
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
			o.models, o.given = append(o.models, c.Args().Slice()...), c.LocalFlagNames()
			if err := o.findEngine(c.Context); err != nil {
				return err
			}
			if o.wantsGPUs() && o.release == "" {
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
				Commit: cmp.Or(o.release, engine.Commit), Backends: engine.ComputesOn,
				CPUs: strings.Join(engine.CPUs, ", "), GPUs: strings.Join(engine.GPUs, ", "),
			})
		},
	})
}

// measure has rows printed in the format that was asked for.
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
			options.Ref = ref
			models = append(models, opening(p, options))
		}
		return b.Tests(ctx, models, o.settings(), o.tests(), printer)
	}
	return b.Evals(ctx, ways, o.load(), printer)
}

func opening(p *console.Program, options registry.Options) bench.Opening {
	options.Warn, options.Note, options.Draw = p.Warn, p.Note, p.Draw()
	return bench.Opening{Ref: options.Ref, Open: func(ctx context.Context) (backends.Model, error) {
		return registry.Model(ctx, options)
	}}
}
