// Package reading holds the commands that read journals and write documents: report, compare, show, runs, merge, import, rules, schema.
package reading

import (
	"bytes"
	"cmp"
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/runner/report/items"
	"proctor/runner/report/page"
)

type reportOptions struct {
	metrics.Options
	format string // of the report, or of the list
	full   bool   // all of the report, in text and markdown
	out    string
	plots  string
	items  bool
	list   items.Options
}

// Report reports runs.
func Report(p *console.Program) *cli.Command {
	var o reportOptions
	return &cli.Command{
		Name:      "report",
		Usage:     "report runs from their journals, without a model",
		ArgsUsage: "RUN…",
		Description: "RUN is a run's folder or its journal. The folder of a run with several tasks means all of them.\n\n" +
			"   proctor report runs/q4                                           the short report\n" +
			"   proctor report runs/q4 --full -o q4.md                           the full report\n" +
			"   proctor report runs/q4 -o q4.html                                one file for a browser, with every item\n" +
			"   proctor report runs/q4 --plots figures                           its figures as SVG and PNG\n" +
			"   proctor report runs/q4 --rules tiger-strict --confidence 99%     proctor rules explains them\n" +
			"   proctor report runs/q4 --rules mine.rules\n" +
			"   proctor report runs/* --format csv -o runs.csv                   one line per run, for a spreadsheet\n" +
			"   proctor report runs/q4 --format model-card                       metadata for a Hugging Face model card\n\n" + flags.More +
			"Several RUNs give one report each: JSON has them in one array, CSV in one table whose columns have the names of the\n" +
			"JSON report. If the RUNs are tasks of one model, their combined result comes last (in JSON, task \"combined\").\n\n" +
			"--items lists items instead of reporting:\n\n" +
			"   proctor report runs/q4 --items --where tag=NO_ANSWER\n" +
			"   proctor report runs/q4 --items --where subject=math,right=no --format csv -o wrong.csv\n" +
			"   proctor report runs/q4 --items --where 'letter=A|B' --where cause!=LENGTH --with-text --format jsonl\n" +
			"   proctor report runs/q4 --items --where id=70\n" +
			"   proctor show runs/q4 70                                                one item for reading\n\n" +
			"In jsonl and csv, answer_start and answer_end are byte offsets into the completion (UTF-8).\n\n" +
			grade.RuleHelp + "\n\n" + meanings(),
		Flags: []cli.Flag{
			flags.Text(&o.format, "format", "RESULT", flags.ByName(report.Formats),
				"`FORMAT` of the report: "+report.Formats.Names()+"; with --items of the list: "+items.Formats.Names()),
			flags.Full(&o.full),
			options.RulesFlag(&o.RuleSet, "the run's own"),
			flags.Confidence(&o.Confidence),
			flags.Switch(&o.Exact, "exact", "", "use Clopper–Pearson intervals instead of Wilson's"),
			flags.Switch(&o.items, "items", "ITEMS", "list items instead of reporting"),
			&cli.GenericFlag{
				Name: "where", Value: &o.list.Where, Category: "ITEMS",
				Usage: "list only items that match `FILTER`: " + items.Usage(),
			},
			flags.Switch(&o.list.Text, "with-text", "ITEMS", "add prompts and completions"),
			flags.Output(&o.out), console.PlotsFlag(&o.plots),
		},
		Before: flags.Refusing([]flags.Refusal{
			{Flags: "where with-text", Without: "items"},
			{Flags: "plots full confidence exact", With: "items", Why: "is of a report: a list of --items has none"},
		}),
		Action: func(c *cli.Context) error { return reportRuns(p, c.Args().Slice(), o) },
	}
}

func reportRuns(p *console.Program, runs []string, o reportOptions) error {
	if len(runs) == 0 {
		return errors.New("report needs a RUN: the folder of a run, or its journal")
	}
	var tasks []string
	for _, run := range runs {
		tasks = append(tasks, journal.Tasks(run)...)
	}
	runs = tasks
	if o.items {
		return listItems(p, runs, o)
	}
	if o.plots != "" && len(runs) > 1 {
		return errors.New("--plots is of one RUN: give them one by one, each a folder of its own")
	}
	format, err := page.Chosen(report.Formats, report.Full, o.format, o.out, o.full)
	if err != nil {
		return err
	}
	var reports []*metrics.Summary
	for _, run := range runs {
		result, err := metrics.Open(run, o.Options)
		if err != nil {
			return orRuns(run, err)
		}
		reports = append(reports, result)
	}
	var out bytes.Buffer
	if err := report.WriteSeveral(&out, format, reports); err != nil {
		return err
	}
	if o.plots != "" {
		figures, err := report.Figures(reports[0])
		if err := cmp.Or(err, p.Plot(o.plots, figures)); err != nil {
			return err
		}
	}
	return p.Deliver(o.out, out.Bytes())
}

func listItems(p *console.Program, runs []string, o reportOptions) error {
	format, err := items.Formats.Of(o.format, o.out)
	if err != nil {
		return err
	}
	o.list.RuleSet = o.RuleSet
	list, err := items.Open(runs, o.list)
	if err != nil {
		return err
	}
	defer list.Close()
	for _, warning := range list.Warnings() {
		p.Warn(warning)
	}
	return p.DeliverBy(o.out, func(w io.Writer) error { return format.Write(w, list) })
}
