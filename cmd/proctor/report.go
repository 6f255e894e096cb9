package main

import (
	"bytes"
	"errors"

	"github.com/urfave/cli/v2"

	"proctor/runner/metrics"
	"proctor/runner/report"
)

type reportOptions struct {
	metrics.Options
	format report.Format
	out    string
}

func (p program) report() *cli.Command {
	var o reportOptions
	return &cli.Command{
		Name:      "report",
		Usage:     "mark and report runs again from their journals, without a model",
		ArgsUsage: "RUN…",
		Description: "A RUN is a run's folder or its journal.\n\n" +
			"   proctor report runs/q4 --format markdown -o q4.md\n" +
			"   proctor report runs/q4 --rules tiger-strict --confidence 0.99    proctor rules explains them\n" +
			"   proctor report runs/* --format csv -o runs.csv                   a line a run, for a spreadsheet\n\n" +
			"Several RUNs are reported one after the other, as JSON in one array, as csv in one table, whose columns are named as in\n" +
			"the JSON report; csv-long has a line a figure. Where they are tasks of one model, what these come to together stands at\n" +
			"the end (in the array the element whose task is \"combined\").",
		Flags: []cli.Flag{
			formatFlag(&o.format, "report", report.Formats),
			rulesFlag(&o.RuleSet, "the run's own"),
			confidenceFlag(&o.Confidence),
			&cli.BoolFlag{Name: "exact", Destination: &o.Exact, Usage: "Clopper–Pearson intervals instead of Wilson's"},
			outputFlag(&o.out),
		},
		Action: func(c *cli.Context) error { return p.reportRuns(c.Args().Slice(), o) },
	}
}

func (p program) reportRuns(runs []string, o reportOptions) error {
	if len(runs) == 0 {
		return errors.New("report needs a RUN: the folder of a run, or its journal")
	}
	var reports []*metrics.Summary
	for _, run := range runs {
		result, err := metrics.Open(run, o.Options)
		if err != nil {
			return err
		}
		reports = append(reports, result)
	}
	var out bytes.Buffer
	if err := report.WriteSeveral(&out, o.format, reports); err != nil {
		return err
	}
	return p.deliver(o.out, out.Bytes())
}
