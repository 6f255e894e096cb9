package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/runner/journal"
	"proctor/runner/journal/regular"
	"proctor/runner/mark/format"
	"proctor/runner/report/compare"
)

type compareOptions struct {
	compare.Options
	score  string // file that score wrote
	format string // of the comparison, or of the flips
	out    string
	flips  bool
	text   bool // the flips have their completions
	plots  string

	failIfWorse, failUnlessNotWorse bool
}

func (p *program) compare() *cli.Command {
	o := compareOptions{Options: compare.Options{Margin: compare.DefaultMargin}}
	return &cli.Command{
		Name:      "compare",
		Usage:     "compare runs with the first one, question by question",
		ArgsUsage: "A B [C…]",
		Description: "Says whether B is better than A, worse, or at most a margin worse, and how many questions would decide it.\n" +
			"\n" +
			"   proctor compare runs/q8 runs/q4\n" +
			"   proctor compare runs/q8 runs/q4 --fail-unless-not-worse              a gate for CI\n" +
			"   proctor compare runs/f16 runs/q4 --score q4.json                     how much changed, and is it worse\n" +
			"   proctor compare runs/q8 runs/q6 runs/q4 -o quants.html               one file for a browser\n" +
			"   proctor compare runs/q8 runs/q4 --flips --with-text                  which answers became wrong\n" +
			flags.More +
			"   proctor compare runs/q8 runs/q6 runs/q4 --margin 2pp --format markdown -o quants.md\n" +
			"   proctor compare runs/q8 runs/q6 runs/q4 --metrics acc_origin,perf_circular,more_3_circular\n" +
			"   proctor compare runs/q8 runs/q6 runs/q4 --plots figures              drawings as SVG and PNG\n" +
			"   proctor compare runs/q8 runs/q6 runs/q4 --format csv -o quants.csv   a line a run\n" +
			"\n" +
			"In JSON and CSV the verdict's code, decision, is better, worse, not_worse, undecided or identical; none where no run\n" +
			"has an answer. Each run's own speed is shown; to compare speeds: bench --exam A B.",
		Flags: []cli.Flag{
			flags.OfPoints(cli.StringFlag{Name: "margin", Usage: "a loss of up to `POINTS` counts as not worse, as in 2pp"},
				flags.Share{To: &o.Margin, Least: flags.Open(0)}),
			&cli.StringFlag{
				Name: "format", DefaultText: flags.ByName(compare.Formats), Destination: &o.format, Category: "RESULT",
				Usage: "`FORMAT` of the result: " + compare.Formats.Names() + "; with --flips: " + compare.FlipFormats.Names(),
			},
			rulesFlag(&o.RuleSet, "the runs' own"),
			&cli.BoolFlag{Name: "all-rules", Destination: &o.Rules, Usage: "compare under every rule set"},
			&cli.BoolFlag{
				Name: "full", Destination: &o.Full, Category: "RESULT",
				Usage: "show the unweighted difference of the questions asked, too",
			},
			&cli.StringFlag{
				Name:  "metrics",
				Usage: "show the metrics in `LIST` side by side, as in acc_origin,mcc, or " + compare.AllMetrics,
				Action: func(_ *cli.Context, list string) error {
					for name := range strings.SplitSeq(list, ",") {
						o.Metrics = append(o.Metrics, strings.TrimSpace(name))
					}
					return nil
				},
			},
			&cli.StringFlag{
				Name: "score", Destination: &o.score,
				Usage: "show how much changed, from `FILE`, which score -o FILE.json wrote",
			},
			flags.Confidence(&o.Confidence),
			&cli.BoolFlag{
				Name: "force", Destination: &o.Force,
				Usage: "compare runs that differ in more than the model, with a warning",
			},
			&cli.BoolFlag{
				Name: "fail-if-worse", Destination: &o.failIfWorse, Category: "GATE",
				Usage: "exit 1 if a run is shown to be worse than the first, and not shown to be within the margin",
			},
			&cli.BoolFlag{
				Name: "fail-unless-not-worse", Destination: &o.failUnlessNotWorse, Category: "GATE",
				Usage: "exit 1 unless every run is shown to be at most the margin worse than the first",
			},
			&cli.BoolFlag{
				Name: "flips", Destination: &o.flips, Category: "FLIPS",
				Usage: "list the items that one run has right and the other wrong",
			},
			&cli.BoolFlag{Name: "with-text", Destination: &o.text, Usage: "with both completions", Category: "FLIPS"},
			flags.Output(&o.out), plotsFlag(&o.plots),
		},
		Before: flags.Refusing(append(
			notOfFlips("fail-if-worse", "fail-unless-not-worse", "margin", "all-rules", "metrics", "score", "confidence", "plots", "full"),
			flags.Refuse("with-text", flags.Without("flips"), "--with-text goes with --flips"))...),
		Action: func(c *cli.Context) error { return p.compareRuns(c.Args().Slice(), o) },
	}
}

func (p *program) compareRuns(runs []string, o compareOptions) error {
	if len(runs) < 2 {
		return errors.New("compare needs two RUNs or more: folders of runs, or their journals")
	}
	if o.score != "" {
		file, err := regular.Open(o.score, os.O_RDONLY)
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			return fmt.Errorf("--score %s: %w", o.score, failed.Err)
		}
		defer file.Close()
		if o.Score, err = compare.ReadScore(o.score, file); err != nil {
			return err
		}
	}
	tasks, err := taskByTask(runs)
	if err != nil {
		return err
	}
	if one, err := o.inOneDocument(); err != nil || one && len(tasks) > 1 {
		return cmp.Or(err, fmt.Errorf("these are runs of %d tasks, and a comparison that is not text or markdown is of one: give a task's "+
			"folders, as in: proctor compare %s", len(tasks), shellescape.QuoteCommand(tasks[0])))
	}
	var out bytes.Buffer
	var failed error
	for _, task := range tasks {
		gate, err := p.writeComparison(&out, task, o)
		if err != nil {
			return err
		}
		failed = cmp.Or(failed, gate)
	}
	return cmp.Or(p.deliver(o.out, out.Bytes()), failed)
}

// inOneDocument says whether what is written can hold one comparison only.
func (o compareOptions) inOneDocument() (bool, error) {
	if o.flips || o.plots != "" {
		return true, nil
	}
	format, err := compare.Formats.Of(o.format, o.out)
	return format.Name != "text" && format.Name != "markdown", err
}

// taskByTask is what to compare one after the other: the runs as they are, or, of runs of several tasks, each task's folders.
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

// writeComparison writes what was asked for; failed is the gate's failure.
func (p *program) writeComparison(out io.Writer, runs []string, o compareOptions) (failed, err error) {
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
	format, err := compare.Formats.Of(o.format, o.out)
	if err != nil {
		return nil, err
	}
	if o.Full && slices.Contains([]string{"json", "csv", "csv-long"}, format.Name) {
		return nil, fmt.Errorf("--full is of text, markdown and html: %s has everything without it", format.Name)
	}
	result, err := compare.Of(runs, o.Options)
	if err != nil {
		return nil, err
	}
	return o.gate(result), cmp.Or(format.Write(out, result), p.plot(o.plots, result.Figures()))
}

// gate is the failure of the first pair that fails a gate.
func (o compareOptions) gate(c *compare.Comparison) error {
	for _, pair := range c.Pairs {
		switch {
		case o.failIfWorse && pair.ShownWorse():
			return fmt.Errorf("%w: --fail-if-worse: %s", errGate, pair.Verdict)
		case o.failUnlessNotWorse && !pair.ShownNotWorse():
			return fmt.Errorf("%w: --fail-unless-not-worse: %s", errGate, pair.Verdict)
		}
	}
	return nil
}

// notOfFlips are flags that say nothing where flips are listed.
func notOfFlips(names ...string) []flags.Refusal {
	var all []flags.Refusal
	for _, flag := range names {
		all = append(all, flags.Refuse(flag, flags.With("flips"), "--"+flag+" is of a comparison's figures: a list of --flips has none"))
	}
	return all
}
