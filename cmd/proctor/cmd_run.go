package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/mark/again"
	"proctor/runner/report"
)

type runOptions struct {
	asking
	spec      spec.Spec // the run's specification
	format    report.Format
	failBelow *float64
	dryRun    bool
	several   bool // the call has several runs
}

// Run asks a model every question.
func Run(p *console.Program) *cli.Command {
	w := console.WordsOf("run")
	o := runOptions{asking: asking{model: console.Showing(p)}, spec: spec.Default()}
	return w.Command(&cli.Command{
		Flags:  o.cliFlags(w),
		Before: o.before,
		Action: func(c *cli.Context) error {
			models, err := o.models(c)
			if err != nil {
				return err
			}
			if sets := o.spec.Data.Refs(); len(models) > 1 || len(sets) > 1 {
				return runSeveral(c, p, w, o, models, sets)
			}
			if err := cmp.Or(setFlag(c, "model", models[0]), o.settleAll(c, p, w)); err != nil {
				return err
			}
			if done, err := o.config.Print(p.Stdout, c); done {
				return err
			}
			return runEvals(c.Context, p, o, givenIn(c))
		},
	})
}

// setFlag sets a flag, unless it has the value already.
func setFlag(c *cli.Context, flag, value string) error {
	if c.String(flag) == value {
		return nil
	}
	return c.Set(flag, value)
}

// models are the models to ask: when resuming by the only argument, the run's own.
func (o *runOptions) models(c *cli.Context) ([]string, error) {
	if o.run.Resume && o.run.Out == "" && c.NArg() > 0 {
		return []string{o.spec.Model.Model}, nil
	}
	return console.Models(c)
}

// settleAll completes the run's specification, and refuses contradicting flags.
func (o *runOptions) settleAll(c *cli.Context, p *console.Program, w *flags.Words) (err error) {
	if err := o.settle(c, p.Args); err != nil {
		return err
	}
	if err := refuse(w, c, o.spec.Flags()); err != nil {
		return err
	}
	return o.answers(&o.spec, c)
}

// cliFlags are the flags of the command: those of a run's specification, and those of one call.
func (o *runOptions) cliFlags(w *flags.Words) []cli.Flag {
	return slices.Concat(w.Fields(&o.spec), o.resultFlags(w), []cli.Flag{
		w.Read("again", func(which string) error {
			if o.run.Again = strings.EqualFold(which, again.Length); !o.run.Again {
				return fmt.Errorf("--again %s: only %s, what the cap cut, is asked again; --resume alone asks again what failed",
					which, again.Length)
			}
			return nil
		}),
		flags.Format(w, &o.format, report.Formats),
		w.Share("fail-below", flags.Share{Given: &o.failBelow}),
		w.Switch("dry-run", &o.dryRun),
	}, o.config.Flags(w, ""))
}

// runEvals asks a run's tasks, and reports them.
func runEvals(ctx context.Context, p *console.Program, o runOptions, given func(flag string) bool) error {
	o.begin(p)
	evals, err := o.evals(p, given)
	if err != nil {
		return err
	}
	if o.dryRun {
		return showForecast(ctx, p, o, evals)
	}
	r, stopped, err := o.ask(ctx, p, evals)
	if err != nil {
		return err
	}
	written := r.write()
	if r.whole(stopped) {
		saved(p, r.session.Out, r.reports)
	}
	return errors.Join(r.end(stopped), written)
}

// ask asks a run's tasks and reports each at its end. stopped is why some were not asked.
func (o *runOptions) ask(ctx context.Context, p *console.Program, evals ask.Evals) (r *results, stopped, err error) {
	monitor := &console.Monitor{Program: p}
	defer monitor.End()
	o.run.Observer = observer(p, monitor)
	running := &runningReport{Program: p}
	defer running.end()
	begin := o.run.Begin
	o.run.Begin = func(folder string, header *journal.Header, from progress.Counts) {
		begin(folder, header, from)
		running.begin(folder)
	}
	session, err := ask.New(ctx, o.run, evals, o.open)
	if err != nil && o.run.Resume && errors.Is(context.Cause(ctx), console.ErrInterrupted) {
		return nil, nil, fmt.Errorf("%w; to resume: %s", console.ErrInterrupted, o.resumeCommand(p, o.run.Out))
	}
	if err != nil {
		return nil, nil, err
	}
	defer session.Close()
	r = &results{Program: p, session: session, format: o.format, failBelow: o.failBelow,
		resumeCommand: func(folder string) string { return o.resumeCommand(p, folder) }}
	stopped = session.Run(ctx, func(ended ask.Outcome) error {
		monitor.End()
		running.end()
		return r.add(ctx, ended)
	})
	return r, stopped, nil
}

// evals prepares the run's questions and prompts.
func (o *runOptions) evals(p *console.Program, given func(flag string) bool) (ask.Evals, error) {
	set, err := console.OpenForRun(p, &o.spec.Questions)
	if err != nil {
		return ask.Evals{}, err
	}
	if err := o.drawAs(set, given); err != nil {
		return ask.Evals{}, err
	}
	o.run.Flags = o.spec.Flags()
	evals, err := ask.EvalsOf(set, &o.spec)
	if err != nil {
		return ask.Evals{}, err
	}
	return evals, o.checkDirect(evals.Evals)
}

// resumeCommand is the command line that resumes the run in a folder.
func (o *runOptions) resumeCommand(p *console.Program, folder string) string {
	return resumeCommandOf(p, "run", folder, &o.spec, new(spec.Default()))
}

// open opens the model. A resumed run keeps its number of items in flight, unless a flag changes it: greedy text can depend on it.
func (o *runOptions) open(ctx context.Context, earlier backends.EngineInfo) (backends.Model, error) {
	if earlier.Name != "" {
		o.model.Like = &earlier
	}
	return registry.OpenModel(ctx, o.model)
}

func showForecast(ctx context.Context, p *console.Program, o runOptions, evals ask.Evals) error {
	forecast, err := ask.Foresee(ctx, o.run, evals, o.open)
	if err != nil {
		return err
	}
	return report.DryRun(forecast).Text(p.Stdout)
}
