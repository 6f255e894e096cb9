package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask"
	"proctor/runner/ask/spec"
	"proctor/runner/mark/again"
	"proctor/runner/report"
	"proctor/runner/report/page"
)

type runOptions struct {
	asking
	spec       spec.Spec // what the run is
	format     report.Format
	failBelow  *float64
	showPrompt bool
	serve      string // where; empty for nowhere
}

// Run asks a model every question.
func Run(p *console.Program) *cli.Command {
	w := console.WordsOf("run")
	o := runOptions{asking: asking{model: console.Showing(p)}, spec: spec.Default()}
	return w.Command(&cli.Command{
		Flags:  o.cliFlags(w),
		Before: o.before,
		Action: func(c *cli.Context) (err error) {
			if err := o.oneModel(c); err != nil {
				return err
			}
			if err := o.settle(c, p.Args); err != nil {
				return err
			}
			if err := refuse(w, c, o.spec.Flags()); err != nil {
				return err
			}
			if idle := o.spec.Drawn().Idle(); idle != "" {
				return fmt.Errorf("--sampling %s has no effect at --temperature 0, which always takes the likeliest token", idle)
			}
			if o.format, err = page.Chosen(report.Formats, report.Full, o.format.Name, "", o.full); err != nil {
				return err
			}
			if done, err := o.config.Print(p.Stdout, c); done {
				return err
			}
			if err := o.answers(&o.spec, c); err != nil {
				return err
			}
			return runEvals(c.Context, p, o, givenIn(c))
		},
	})
}

// cliFlags are the flags of the command: those of what a run is, and those of one call.
func (o *runOptions) cliFlags(w *flags.Words) []cli.Flag {
	return slices.Concat(w.Fields(&o.spec), o.resultFlags(w), []cli.Flag{
		w.Read("again", func(list string) (err error) {
			if o.run.Again, err = again.Which(list); err != nil {
				err = fmt.Errorf("--again %w", err)
			}
			return err
		}),
		flags.Format(w, &o.format, report.Formats),
		w.Share("fail-below", flags.Share{Given: &o.failBelow}),
		w.Text("serve", &o.serve),
		w.Switch("show-prompt", &o.showPrompt),
	}, o.config.Flags(w, ""))
}

func runEvals(ctx context.Context, p *console.Program, o runOptions, given func(flag string) bool) error {
	o.begin(p)
	asked, err := o.asked(p, given)
	if err != nil {
		return err
	}
	if o.dryRun {
		return showForecast(ctx, p, o, asked)
	}
	monitor, err := p.Monitor(o.progress, o.serve)
	if err != nil {
		return err
	}
	defer monitor.Close()
	if !monitor.Draws() {
		o.model.Draw = nil
	}
	o.run.Observer = observer(p, monitor)
	session, err := ask.New(ctx, o.run, asked, o.open)
	if err != nil && o.run.Resume && errors.Is(context.Cause(ctx), console.ErrInterrupted) {
		return fmt.Errorf("%w; to go on: %s", console.ErrInterrupted, o.goOn(p, o.run.Out))
	}
	if err != nil {
		return err
	}
	defer session.Close()
	r := results{Program: p, session: session, format: o.format, failBelow: o.failBelow,
		goOn: func(folder string) string { return o.goOn(p, folder) }}
	stopped := session.Run(ctx, func(asked ask.Outcome) error {
		monitor.End()
		return r.add(ctx, asked)
	})
	return r.end(stopped)
}

// asked is what is asked, and how.
func (o *runOptions) asked(p *console.Program, given func(flag string) bool) (ask.Evals, error) {
	set, err := console.OpenAsked(p, &o.spec.Questions)
	if err != nil {
		return ask.Evals{}, err
	}
	if err := o.drawAs(set, given); err != nil {
		return ask.Evals{}, err
	}
	o.run.Flags = o.spec.Flags()
	asked, err := ask.EvalsOf(set, &o.spec)
	if err != nil {
		return ask.Evals{}, err
	}
	return asked, cmp.Or(o.checkDirect(asked.Evals), report.Together(o.format, len(asked.Evals)))
}

// goOn is the command line that goes on with the run in a folder.
func (o *runOptions) goOn(p *console.Program, folder string) string {
	return goOnIn(p, "run", folder, &o.spec, new(spec.Default()))
}

// open opens the model. A run that goes on has as many items in flight as it had before, unless a flag says otherwise: greedy text
// can depend on it.
func (o *runOptions) open(ctx context.Context, earlier backends.EngineInfo) (backends.Model, error) {
	if earlier.Name != "" {
		o.model.Like = &earlier
	}
	return registry.Model(ctx, o.model)
}

func showForecast(ctx context.Context, p *console.Program, o runOptions, asked ask.Evals) error {
	format, err := ask.ForecastFormats.Named(o.format.Name)
	if err != nil {
		return err
	}
	forecast, err := ask.Foresee(ctx, o.run, asked, o.open)
	if err != nil {
		return err
	}
	forecast.Prompts = o.showPrompt
	return format.Write(p.Stdout, forecast)
}
