package main

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/spec"
	"proctor/runner/mark/samplesize"
	"proctor/runner/report"
	"proctor/runner/report/page"
)

// Plan finds how many questions a precision takes.
func Plan(p *console.Program) *cli.Command {
	questions, aim, json := spec.Default().Questions, samplesize.Aim{}, false
	w := console.WordsOf("plan")
	return w.Command(&cli.Command{
		Flags: slices.Concat(w.Pick(&questions, "data", "map", "split", "subjects", "limit"), []cli.Flag{
			w.Points("half-width", flags.Share{To: &aim.HalfWidth, Positive: true, Below: 0.5}),
			w.Points("detect", flags.Share{To: &aim.Detect, Positive: true}),
			w.Confidence(&aim.Confidence),
			w.Switch("json", &json),
		}),
		Before: w.Refusing(),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return errors.New("plan takes no arguments: give the questions as --data; `proctor run MODEL --dry-run` says " +
					"how long a model takes")
			}
			set, err := console.OpenForRun(p, &questions)
			if err != nil {
				return err
			}
			selection, limit := questions.Selection(), 0
			drawn, err := set.Select(selection)
			if err == nil && (selection.Limit > 0 || selection.BySubject()) { // what is asked for, out of those that there are
				limit = len(drawn)
				selection.Limit, selection.PerSubject, selection.Share = 0, 0, 0
				drawn, err = set.Select(selection)
			}
			if err != nil {
				return err
			}
			plan, err := aim.Size(len(drawn), limit)
			if err != nil {
				return err
			}
			if plan.Data, plan.Published = set.Name, set.Published != ""; json {
				return page.JSON(p.Stdout, plan)
			}
			return report.Plan(&plan).Text(p.Stdout)
		},
	})
}
