package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/journal"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/report/compare"
	"proctor/runner/report/page"
)

type compareOptions struct {
	pairs.Options
	score  string // file that score wrote
	format string // of the comparison or the flips
	out    string
	flips  bool
	text   bool // flips have their completions
	full   bool // text and markdown have everything

	gate   string // empty for none
	config flags.Config
}

// Compare compares runs with the first one.
func Compare(p *console.Program) *cli.Command {
	o := compareOptions{Options: pairs.Options{Margin: pairs.DefaultMargin}}
	w := console.WordsOf("compare", "{flips}", compare.FlipFormats.Names())
	return w.Command(&cli.Command{
		Flags:  o.cliFlags(w),
		Before: o.config.First(w.Refusing()),
		Action: func(c *cli.Context) error {
			if done, err := o.config.Print(p.Stdout, c, nil); done {
				return err
			}
			return compareRuns(p, o.config.Arguments(c), o)
		},
	})
}

func (o *compareOptions) cliFlags(w *flags.Words) []cli.Flag {
	return append([]cli.Flag{
		w.Points("margin", flags.Share{To: &o.Margin, Positive: true}),
		flags.Named(w, &o.format, compare.Formats),
		console.RulesFlag(w, &o.RuleSet),
		w.Switch("full", &o.full),
		w.Text("score", &o.score),
		w.Confidence(&o.Confidence),
		withoutFlag(w, &o.Without),
		w.Switch("force", &o.Force),
		w.Text("gate", &o.gate, flags.Valid(func(what string) bool { return what == notWorse }, "there is "+notWorse)),
		w.Switch("flips", &o.flips),
		w.Switch("with-text", &o.text),
		w.Text("o", &o.out, console.ToFile),
	}, o.config.Flags(w, "runs")...)
}

func compareRuns(p *console.Program, runs []string, o compareOptions) error {
	if len(runs) < 2 {
		return errors.New("compare needs two RUNs or more: folders of runs, or their journals")
	}
	if o.score != "" {
		file, err := setting.OpenRegular(o.score, os.O_RDONLY)
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			return fmt.Errorf("--score %s: %w", o.score, failed.Err)
		}
		defer file.Close()
		if o.Score, err = divergence.Read(o.score, file); err != nil {
			return err
		}
	}
	tasks, err := taskByTask(runs)
	if err != nil {
		return err
	}
	if one, err := o.inOneDocument(); err != nil || one && len(tasks) > 1 {
		return cmp.Or(err, fmt.Errorf("these are runs of %d tasks, and a comparison that is not text or markdown is of one: give a task's "+
			"folders, as in: proctor compare %s", len(tasks), setting.Command(tasks[0]...)))
	}
	out := p.Buffer(o.out)
	var failed error
	for _, task := range tasks {
		gate, err := writeComparison(out, task, o)
		if err != nil {
			return err
		}
		if failed == nil || gate != nil && errors.Is(failed, console.ErrUndecided) {
			failed = gate
		}
	}
	return cmp.Or(p.Deliver(o.out, out.Bytes()), failed)
}

// inOneDocument says whether the format can hold one comparison only.
func (o compareOptions) inOneDocument() (bool, error) {
	if o.flips {
		return true, nil
	}
	format, err := compare.Formats.Of(o.format, o.out)
	return format.Name != "text" && format.Name != "markdown", err
}

// taskByTask lists the comparisons to make: one of the runs, or for runs with several tasks one per task.
func taskByTask(runs []string) ([][]string, error) {
	first := journal.Tasks(runs[0])
	compared := make([][]string, len(first))
	for _, run := range runs {
		tasks := journal.Tasks(run)
		if len(tasks) != len(first) {
			return nil, fmt.Errorf("%s has %s and %s %d: give runs of the same tasks, or the folders of one task",
				runs[0], format.Several(len(first), "task"), run, len(tasks))
		}
		for i, task := range tasks {
			if len(tasks) > 1 && filepath.Base(task) != filepath.Base(first[i]) {
				return nil, fmt.Errorf("%s has no task %s, which %s has: give runs of the same tasks, or the folders of one task",
					run, filepath.Base(first[i]), runs[0])
			}
			compared[i] = append(compared[i], task)
		}
	}
	return compared, nil
}

// writeComparison writes the comparison, or its flips, in the chosen format. failed is the gate's failure.
func writeComparison(out io.Writer, runs []string, o compareOptions) (failed, err error) {
	if o.flips {
		format, err := compare.FlipFormats.Of(o.format, o.out)
		if err != nil {
			return nil, err
		}
		flips, err := compare.FlipsOf(runs, o.Options, o.text)
		if err != nil {
			return nil, err
		}
		return nil, format.Write(out, flips)
	}
	format, err := page.Chosen(compare.Formats, compare.Full, o.format, o.out, o.full)
	if err != nil {
		return nil, err
	}
	result, err := pairs.Of(runs, o.Options)
	if err != nil {
		return nil, err
	}
	return o.judge(result), format.Write(out, result)
}

// notWorse is the only gate.
const notWorse = "not-worse"

// judge returns the gate's failure: a pair that fails comes before one that is undecided.
func (o compareOptions) judge(c *pairs.Comparison) error {
	if o.gate == "" {
		return nil
	}
	gate := "--gate " + o.gate
	if invalid := c.Invalid(); invalid != "" {
		return fmt.Errorf("%w: %s: %s", console.ErrInvalid, gate, invalid)
	}
	var undecided error
	for _, pair := range c.Pairs {
		switch {
		case pair.ShownWorse():
			return fmt.Errorf("%w: %s: %s", console.ErrGate, gate, pair.Verdict)
		case !pair.ShownNotWorse() && undecided == nil:
			undecided = fmt.Errorf("%w: %s: %s", console.ErrUndecided, gate, pair.Verdict)
		}
	}
	return undecided
}
