package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask/spec"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
)

// settle completes the run's specification: from the flags for a new run, also from an example's journal, or from its own journal for a
// resumed one.
func (o *runOptions) settle(c *cli.Context, args []string) error {
	if !o.run.Resume && !o.likeRun {
		return nil
	}
	from := o.config.Path
	if o.run.Resume {
		var folder []string
		if o.run.Out == "" { // else the arguments are models
			folder = c.Args().Slice()
		}
		if err := o.resumed(folder, "run"); err != nil {
			return err
		}
		if filepath.Base(o.run.Out) == journal.FileName {
			o.run.Out = filepath.Dir(o.run.Out)
		}
		if runs := journal.Runs(o.run.Out); len(runs) > 1 {
			return fmt.Errorf("%s holds %d runs: repeat the command that started them, with --resume --out %[1]s, or continue one: %[3]s", o.run.Out,
				len(runs), setting.Command("proctor", "run", "--resume", runs[0][0]))
		}
		from = o.run.Out
	}
	header, err := journal.HeaderOf(from)
	switch {
	case errors.Is(err, fs.ErrNotExist) && (o.several || c.IsSet("shard") && c.NArg() == 0):
		o.run.Resume = false // the same command starts and resumes the run
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("nothing to resume in %s: drop --resume", from)
	case err != nil:
		return err
	}
	was, err := o.started(c, from, &header, args)
	if err != nil {
		return err
	}
	call := o.spec
	if o.spec = was; o.run.Resume {
		return spec.Resume(&o.spec, &call, givenIn(c))
	}
	spec.Override(&o.spec, &call, givenIn(c))
	return nil
}

// drawAs makes a run that is compared with another draw that run's questions, unless flags choose others. A resumed run has its questions
// from its journal.
func (o *runOptions) drawAs(set *dataset.Set, given func(flag string) bool) error {
	if o.spec.UntilDecided == "" || o.run.Resume {
		return nil
	}
	reference, err := stopping.Until{Run: o.spec.UntilDecided}.Header()
	if err != nil {
		return err
	}
	tasks, err := task.Parse(o.spec.Tasks, set.Subjects())
	if err != nil {
		return err
	}
	named := slices.ContainsFunc(tasks, func(t task.Task) bool { return t.Subject != "" })
	o.spec.DrawAs(&reference.Selection, func(flag string) bool { return given(flag) || flag == "subjects" && named })
	return nil
}

// generationFlags are run's flags about generated completions, which a direct run has none of.
var generationFlags = []string{"max-tokens", "think-budget", "stop", "loops", "temperature", "sampling"}

// checkDirect refuses models that can't answer a direct run, and flags that have no effect on one.
func (o runOptions) checkDirect(evals []prompts.Eval) error {
	isDirect := func(e prompts.Eval) bool { return e.Task.Direct }
	if err := o.model.CheckDirect(); err != nil && slices.ContainsFunc(evals, isDirect) {
		return err
	}
	if slices.ContainsFunc(evals, func(e prompts.Eval) bool { return !isDirect(e) }) {
		return nil
	}
	holds := o.spec.Flags()
	for _, flag := range generationFlags {
		if holds[flag] != nil {
			return fmt.Errorf("--%s is of what is generated: a direct run generates nothing, so leave it out", flag)
		}
	}
	if o.spec.Think == "on" {
		return errors.New("--think on: a direct run has the letter before any thinking, so leave it out")
	}
	return nil
}
