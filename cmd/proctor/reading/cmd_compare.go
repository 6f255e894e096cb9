package reading

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/runner/journal"
	"proctor/runner/journal/regular"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/report/compare"
	"proctor/runner/report/page"
)

type compareOptions struct {
	pairs.Options
	score  string // file that score wrote
	format string // of the comparison, or of the flips
	out    string
	flips  bool
	text   bool // the flips have their completions
	plots  string
	full   bool // all of it, in text and markdown

	gate   string // none where empty
	pooled bool   // one decision of all tasks instead
	table  tableOptions
	config flags.Config
}

// Compare compares runs with the first one.
func Compare(p *console.Program) *cli.Command {
	o := compareOptions{Options: pairs.Options{Margin: pairs.DefaultMargin}}
	return &cli.Command{
		Name:        "compare",
		Usage:       "compare runs with the first one, question by question",
		ArgsUsage:   "A B [C…]",
		Description: compareHelp,
		Flags:       o.cliFlags(),
		Before: o.config.First(flags.Refusing([]flags.Refusal{
			{Flags: "gate margin all-rules metrics control score confidence plots full", With: "flips",
				Why: "is of a comparison's figures: a list of --flips has none"},
			{Flags: "with-text", Without: "flips"},
			{Flags: "flips table plots all-rules score control", With: "pooled", Why: "is of one task: --pooled makes one decision of several"},
			{Flags: "metrics group mean", Without: "table"},
			{Flags: "margin all-rules score gate flips force", With: "table", Why: "is of a comparison: a --table tests no differences"},
		})),
		Action: func(c *cli.Context) error {
			if done, err := o.config.Print(p.Stdout, c); done {
				return err
			}
			if o.table.wanted {
				return tableOfRuns(p, o.config.Arguments(c), o)
			}
			return compareRuns(p, o.config.Arguments(c), o)
		},
	}
}

// compareHelp is what help says of it.
const compareHelp = "Says whether B is better than A, worse, or at most a margin worse, and how many questions would decide it.\n" +
	"\n" +
	"   proctor compare runs/q8 runs/q4\n" +
	"   proctor compare runs/q8 runs/q4 --gate not-worse --margin 2pp        a gate for CI\n" +
	"   proctor compare runs/f16 runs/q4 --score q4.json                     with the figures of score: how much changed\n" +
	"   proctor compare runs/q8 runs/q6 runs/q4 -o quants.html               one file for a browser\n" +
	"   proctor compare runs/q8 runs/q4 --flips --with-text                  which answers became wrong\n" +
	"   proctor compare runs/q8 runs/q4 --pooled                             one decision, where they have several tasks\n" +
	"   proctor compare runs/* --table                                       models × tasks × measures, by group of subjects\n" +
	flags.More +
	"   proctor compare runs/q8 runs/q6 runs/q4 --margin 2pp --format markdown -o quants.md\n" +
	"   proctor compare runs/q8 runs/q6 runs/q4 --table --metrics acc_origin,perf_circular,more_3_circular\n" +
	"   proctor compare runs/q8 runs/q6 runs/q4 --plots figures              figures as SVG and PNG\n" +
	"   proctor compare runs/q8 runs/q6 runs/q4 --format csv -o quants.csv   one line per run\n" +
	"   proctor compare runs/* --table --group exact=math,physics --mean plain -o models.html\n" +
	"\n" +
	"In JSON and CSV the verdict's code, decision, is better, worse, not_worse, undecided or identical; none where no run\n" +
	"has an answer. Each run's own speed is shown; to compare speeds: bench --exam A B."

// cliFlags are the flags of the command.
func (o *compareOptions) cliFlags() []cli.Flag {
	return append([]cli.Flag{
		flags.OfPoints(cli.StringFlag{Name: "margin", Usage: "a loss of up to `POINTS` counts as not worse, as in 2pp"},
			flags.Share{To: &o.Margin, Least: flags.Open(0)}),
		flags.Text(&o.format, "format", "RESULT", flags.ByName(compare.Formats),
			"`FORMAT` of the result: "+compare.Formats.Names()+"; with --flips: "+compare.FlipFormats.Names()),
		options.RulesFlag(&o.RuleSet, "the runs' own"),
		flags.Switch(&o.Rules, "all-rules", "", "compare under every rule set"),
		flags.Full(&o.full),
		flags.Read("control", "", "",
			"narrow the interval with `A,B`, two runs of the same models on more questions, such as --direct ones", func(list string) error {
				o.Control = strings.Split(list, ",")
				return nil
			}),
		flags.Text(&o.score, "score", "", "", "show how much changed, from `FILE`, which score -o FILE.json wrote"),
		flags.Confidence(&o.Confidence),
		flags.Switch(&o.Force, "force", "", "compare runs that differ in more than the model, with a warning"),
		&cli.StringFlag{
			Name: "gate", DefaultText: "no gate", Destination: &o.gate, Category: "GATE",
			Usage: "`WHAT` must be shown of every run: " + notWorse + " (than the first by --margin): exit 0 if so, 1 if one is worse, 5 if " +
				"undecided",
			Action: flags.Valid("gate", func(what string) bool { return what == notWorse }, "there is "+notWorse),
		},
		flags.Switch(&o.pooled, "pooled", "", "of runs with several tasks, make one decision of all: the mean of the tasks' differences"),
		flags.Switch(&o.flips, "flips", "FLIPS", "list the items that one run has right and the other wrong"),
		flags.Switch(&o.text, "with-text", "FLIPS", "with both completions"),
		flags.Output(&o.out), console.PlotsFlag(&o.plots),
	}, append(o.table.cliFlags(), o.config.Flags("runs")...)...)
}

func compareRuns(p *console.Program, runs []string, o compareOptions) error {
	if len(runs) < 2 {
		return errors.New("compare needs two RUNs or more: folders of runs, or their journals")
	}
	if o.score != "" {
		file, err := regular.Open(o.score, os.O_RDONLY)
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			return fmt.Errorf("--score %s: %w", o.score, failed.Err)
		}
		defer file.Close()
		if o.Score, err = pairs.ReadScore(o.score, file); err != nil {
			return err
		}
	}
	tasks, err := taskByTask(runs)
	if err != nil {
		return err
	}
	if o.pooled {
		return poolRuns(p, tasks, o)
	}
	if one, err := o.inOneDocument(); err != nil || one && len(tasks) > 1 {
		return cmp.Or(err, fmt.Errorf("these are runs of %d tasks, and a comparison that is not text or markdown is of one: make one decision of "+
			"them with --pooled, or give a task's folders, as in: proctor compare %s", len(tasks), shellescape.QuoteCommand(tasks[0])))
	}
	var out bytes.Buffer
	var failed error
	var compared []*pairs.Comparison
	for _, task := range tasks {
		result, gate, err := writeComparison(p, &out, task, o)
		if err != nil {
			return err
		}
		compared = append(compared, result)
		if failed == nil || gate != nil && errors.Is(failed, console.ErrUndecided) {
			failed = gate
		}
	}
	if err := writeDecision(p, &out, compared, o); err != nil {
		return err
	}
	return cmp.Or(p.Deliver(o.out, out.Bytes()), failed)
}

// inOneDocument says whether what is written can hold one comparison only.
func (o compareOptions) inOneDocument() (bool, error) {
	if o.flips || o.plots != "" {
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

// writeComparison writes the comparison in the chosen format; it is nil where flips are written. failed is the gate's failure.
func writeComparison(p *console.Program, out io.Writer, runs []string, o compareOptions) (c *pairs.Comparison, failed, err error) {
	if o.flips {
		format, err := compare.FlipFormats.Of(o.format, o.out)
		if err != nil {
			return nil, nil, err
		}
		flips, err := compare.FlipsOf(runs, o.Options, o.text)
		if err != nil {
			return nil, nil, err
		}
		return nil, nil, format.Write(out, flips)
	}
	format, err := page.Chosen(compare.Formats, compare.Full, o.format, o.out, o.full)
	if err != nil {
		return nil, nil, err
	}
	result, err := pairs.Of(runs, o.Options)
	if err != nil {
		return nil, nil, err
	}
	return result, o.judge(result), cmp.Or(format.Write(out, result), p.Plot(o.plots, compare.Figures(result)))
}

// notWorse is the gate that there is.
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
