package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts/dataset"
	"proctor/runner/ask"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
)

// singleRunFlags are run's flags that only apply to a single run, and singleSetFlags those that only apply to a single set.
var (
	singleRunFlags = []string{"until-decided", "shard", "again", "print-config"}
	singleSetFlags = []string{"map", "shots-file", "ids"}
)

// severalRuns are the runs of a call that names several models or sets: one of each model on each set, in turn. Each is an ordinary run, in
// a folder below out; one command starts and resumes them all.
type severalRuns struct {
	*console.Program
	out   string
	names []string // of the runs and their folders
	runs  []runOptions
	evals []ask.Evals
}

// runSeveral asks each of the models about each of the sets, and writes the table of their scores.
func runSeveral(c *cli.Context, p *console.Program, w *flags.Words, o runOptions, models, sets []string) error {
	for _, flag := range singleRunFlags {
		if c.IsSet(flag) {
			return fmt.Errorf("--%s is of one run, and these are %d: name one MODEL and one set", flag, len(models)*len(sets))
		}
	}
	for _, flag := range singleSetFlags {
		if len(sets) > 1 && c.IsSet(flag) {
			return fmt.Errorf("--%s is of one set, and --data names %d", flag, len(sets))
		}
	}
	for i, set := range sets {
		if set == "" && len(sets) > 1 {
			return fmt.Errorf("--data %s: a set is missing before or behind a comma", o.spec.Data.Ref)
		}
		if slices.Contains(sets[:i], set) {
			return fmt.Errorf("--data %s: %s is named twice", o.spec.Data.Ref, set)
		}
	}
	s := &severalRuns{Program: p, out: o.run.Out}
	if s.out != "" && journal.File(s.out) == s.out {
		return fmt.Errorf("--out %s: a journal is of one run: name a folder for several", s.out)
	}
	if s.out == "" {
		s.out = filepath.Join("runs", p.Now().Format("20060102-150405")+"-"+counted(models, "model")+"-"+counted(sets, "set"))
	}
	s.name(models, sets)
	if err := s.plan(c, w, o, models, sets); err != nil {
		return err
	}
	if o.dryRun {
		return s.forecast(c.Context)
	}
	if o.run.Out == "" {
		if err := s.claim(); err != nil {
			return err
		}
	}
	return s.run(c.Context)
}

func counted(things []string, thing string) string {
	return fmt.Sprintf("%d-%s", len(things), english.PluralWord(len(things), thing, ""))
}

// name names the runs by their distinctive parts.
func (s *severalRuns) name(models, sets []string) {
	for _, model := range models {
		for _, set := range sets {
			var parts []string
			if len(models) > 1 {
				parts = append(parts, strings.TrimSuffix(filepath.Base(model), ".gguf"))
			}
			if len(sets) > 1 {
				parts = append(parts, dataset.NameOf(set, ""))
			}
			s.names = append(s.names, strings.Join(parts, "-"))
		}
	}
	s.names = output.Folders(s.names, '-')
}

// plan settles every run, and reports all foreseeable errors before the first one starts.
func (s *severalRuns) plan(c *cli.Context, w *flags.Words, o runOptions, models, sets []string) error {
	for i, name := range s.names {
		model, set := models[i/len(sets)], sets[i%len(sets)]
		if err := cmp.Or(setFlag(c, "model", model), setFlag(c, "data", set)); err != nil {
			return err
		}
		run := o
		run.several, run.spec.Model.Model, run.spec.Data.Ref = true, model, set
		run.run.Out = filepath.Join(s.out, name)
		if err := cmp.Or(registry.Find(model), run.settleAll(c, s.Program, w)); err != nil {
			return err
		}
		run.begin(s.Program)
		program := *s.Program
		program.Quiet = program.Quiet || i >= len(sets) // notes about a set are shown once
		evals, err := run.evals(&program, givenIn(c))
		if err != nil {
			return err
		}
		if err := ask.Check(run.run, evals); err != nil {
			return err
		}
		s.runs, s.evals = append(s.runs, run), append(s.evals, evals)
	}
	return nil
}

// forecast shows the plan of each run.
func (s *severalRuns) forecast(ctx context.Context) error {
	for i, run := range s.runs {
		if err := showForecast(ctx, s.Program, run, s.evals[i]); err != nil {
			return err
		}
	}
	return nil
}

// claim makes a folder for the runs if none was given.
func (s *severalRuns) claim() (err error) {
	if s.out, err = ask.Claim(s.out); err != nil {
		return err
	}
	for i := range s.runs {
		s.runs[i].run.Out = filepath.Join(s.out, s.names[i])
	}
	return nil
}

// run asks one run after the other. A run that fails does not stop the others; an interruption ends them all.
func (s *severalRuns) run(ctx context.Context) error {
	var reports [][]*metrics.Summary
	var failed []error
	whole := true
	for i, run := range s.runs {
		s.Note(fmt.Sprintf("run %d of %d: %s", i+1, len(s.runs), s.names[i]))
		r, stopped, err := run.ask(ctx, s.Program, s.evals[i])
		if r != nil {
			r.resumeCommand = func(string) string { return s.resumeCommand() }
			reports = append(reports, r.reports)
			err = errors.Join(r.end(stopped), err)
			whole = whole && r.whole(stopped)
		}
		if ctx.Err() != nil {
			failed = append(failed, fmt.Errorf("%w; to resume: %s", console.ErrInterrupted, s.resumeCommand()))
			break
		}
		if err != nil {
			failed, whole = append(failed, fmt.Errorf("%s: %w", s.names[i], err)), whole && r != nil
		}
	}
	if len(reports) > 0 {
		t, err := new(tableOptions).of(reports, s.out, false)
		if err == nil { // saved in their folder, and written
			err = errors.Join(report.SaveTable(s.out, t),
				writeTogether(s.Stdout, s.runs[0].format, slices.Concat(reports...), t))
		}
		failed, whole = append(failed, err), whole && err == nil
	}
	if whole && len(reports) == len(s.runs) {
		saved(s.Program, s.out, slices.Concat(reports...))
	}
	return errors.Join(failed...)
}

// resumeCommand is the call with the flags to resume it in its folder.
func (s *severalRuns) resumeCommand() string {
	args := slices.Clone(s.Args)
	for flag, value := range map[string][]string{"--out": {s.out}, "--resume": nil} {
		given := func(arg string) bool { return arg == flag || strings.HasPrefix(arg, flag+"=") }
		if !slices.ContainsFunc(args, given) {
			args = slices.Insert(args, 2, append([]string{flag}, value...)...)
		}
	}
	return setting.Command(args...)
}
