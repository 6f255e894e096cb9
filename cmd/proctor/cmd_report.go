package main

import (
	"bytes"
	"errors"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/journal"
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
	w := console.WordsOf("report", "{meanings}", meanings(), "{lists}", items.Formats.Names(), "{fields}", items.Usage())
	return w.Command(&cli.Command{
		Flags: []cli.Flag{
			flags.Named(w, &o.format, report.Formats),
			w.Switch("full", &o.full),
			console.RulesFlag(w, &o.RuleSet),
			w.Confidence(&o.Confidence),
			w.Switch("items", &o.items),
			w.Generic("where", &o.list.Where, nil),
			w.Switch("with-text", &o.list.Text),
			w.Text("o", &o.out, console.ToFile), w.Text("plots", &o.plots, console.ToFolder),
		},
		Before: w.Refusing(),
		Action: func(c *cli.Context) error { return reportRuns(p, c.Args().Slice(), o) },
	})
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
		if err := p.Plot(o.plots, report.Figures(reports[0])); err != nil {
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
	return console.Write(p, o.out, format, list)
}
