package main

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/samplesize"
	"proctor/runner/ask/spec"
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
			plan, err := aim.Plan(set, questions.Selection())
			if err != nil {
				return err
			}
			if json {
				return page.JSON(p.Stdout, plan)
			}
			return plan.Text(p.Stdout)
		},
	})
}
