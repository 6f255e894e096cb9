package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/runner/ask"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
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
	r := results{Program: p, session: session, format: o.format, goOn: func(folder string) string { return o.goOn(p, folder) }}
	stopped := session.Run(ctx, func(outcome ask.Outcome) error {
		monitor.End()
		return r.add(ctx, outcome, o.failBelow)
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

// showForecast shows what a run would do.
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

// results are what came of a run's tasks, each marked and reported.
type results struct {
	*console.Program
	goOn     func(folder string) string // the command line that does
	session  *ask.Session
	format   report.Format
	reports  []*metrics.Summary
	verdicts []error
	unsaved  error // that reports could not be written beside a journal; the journals are whole
}

// add marks a task, writes its reports and collects what decides the exit code. Reports that can't be written don't keep later
// tasks from being asked.
func (r *results) add(ctx context.Context, outcome ask.Outcome, failBelow *float64) error {
	result, err := metrics.Open(outcome.Folder, metrics.Options{})
	if err != nil {
		return errors.Join(outcome.Err, err)
	}
	r.reports = append(r.reports, result)
	r.verdicts = append(r.verdicts, verdict(ctx, result, outcome.Err, failBelow, r.goOn(r.session.Out)))
	err = cmp.Or(report.Save(outcome.Folder, result), report.SaveCombined(r.session.Out, r.reports))
	r.unsaved = cmp.Or(r.unsaved, err)
	if report.InOneDocument(r.format) {
		return nil
	}
	return r.format.Write(r.Stdout, result)
}

// end writes what is of all tasks together. stopped is why the run ended before it asked them.
func (r *results) end(stopped error) error {
	write := report.WriteCombined
	if report.InOneDocument(r.format) && len(r.reports) > 0 {
		write = report.WriteSeveral
	}
	written := write(r.Stdout, r.format, r.reports)
	if len(r.reports) > 0 && stopped == nil && r.unsaved == nil {
		r.saved()
	}
	verdict := errors.Join(r.verdicts...)
	return errors.Join(verdict, r.kept(stopped, errors.Is(verdict, console.ErrIncomplete)), written)
}

// kept says of a run whose journal or reports are not where they should be how it goes on. told says that its verdict does already.
func (r *results) kept(stopped error, told bool) error {
	goOn := r.goOn(r.session.Out)
	if lost := (*journal.LostError)(nil); errors.As(stopped, &lost) {
		return r.lost(lost, stopped, goOn)
	}
	switch {
	case r.unsaved == nil:
		return stopped
	case told:
		return nil
	}
	return fmt.Errorf("%w: the answers are kept, but not the reports: %w; to write them once the cause is mended: %s", console.ErrIncomplete,
		errors.Join(stopped, r.unsaved), goOn)
}

// lost says of a run whose journal was deleted how it goes on.
func (r *results) lost(lost *journal.LostError, err error, goOn string) error {
	if lost.Err != nil {
		return fmt.Errorf("%w: %w", console.ErrIncomplete, err)
	}
	folder, file := filepath.Dir(lost.Path), filepath.Base(lost.Path)
	if lost.Replaced {
		folder, file = strings.TrimSuffix(lost.Saved, filepath.Ext(lost.Saved)), journal.FileName
		goOn = r.goOn(folder)
	}
	return fmt.Errorf("%w: %w; to go on: %s && %s && %s", console.ErrIncomplete, err, shellescape.QuoteCommand([]string{"mkdir", "-p", folder}),
		shellescape.QuoteCommand([]string{"mv", lost.Saved, filepath.Join(folder, file)}), goOn)
}

// verdict is what the exit code is made of.
func verdict(ctx context.Context, r *metrics.Summary, stopped error, failBelow *float64, goOn string) error {
	asked, score := r.Completeness, r.Headline
	switch {
	case errors.Is(context.Cause(ctx), console.ErrInterrupted):
		return fmt.Errorf("%w; to go on: %s", console.ErrInterrupted, goOn)
	case stopped != nil:
		return fmt.Errorf("%w: %w; what was answered is kept; to go on: %s", console.ErrIncomplete, stopped, goOn)
	case !asked.Complete:
		return fmt.Errorf("%w: %s without a completion; to ask again: %s", console.ErrIncomplete, format.Several(asked.Lacks(), "item"), goOn)
	case failBelow != nil && !r.Validity.Valid:
		return fmt.Errorf("%w: --fail-below %s: %s", console.ErrInvalid, format.TypedShare(*failBelow), r.Validity)
	case failBelow != nil && score.CI.IsZero():
		return fmt.Errorf("%w: %s has no lower bound to hold against --fail-below %s: %s; give a higher --limit", console.ErrGate,
			score.Name, format.TypedShare(*failBelow), format.NoInterval(score.CI))
	case failBelow != nil && score.CI.Low < *failBelow:
		return fmt.Errorf("%w: the lower bound of %s, %s, is below --fail-below %s", console.ErrGate, score.Name,
			format.Percent(stats.Of(score.CI.Low)), format.TypedShare(*failBelow))
	}
	return nil
}

// saved says where a run's answers are kept, and what to do with them.
func (r *results) saved() {
	r.Note("saved in " + r.session.Out)
	folders := r.session.Folders()
	if !slices.ContainsFunc(r.reports, func(s *metrics.Summary) bool { return s.Items > 0 }) {
		return
	}
	run := folders[0]
	command := func(args ...string) string { return shellescape.QuoteCommand(append([]string{r.Args[0]}, args...)) }
	for _, folder := range folders[:len(r.reports)] {
		r.Note("      " + report.Path(folder, ".html") + "   for a browser, with every item")
	}
	r.Note("next: " + command("report", run, "--items", "--where", "right=no") + "   lists what went wrong")
	r.Note("      " + command("report", run, "--full") + "   says everything about it")
	r.Note("      " + command("show", run) + " ID   shows one item")
	r.Note("      " + command("compare", run) + " OTHER   sets another run beside it")
}
