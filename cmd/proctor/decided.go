package main

import (
	"github.com/urfave/cli/v2"

	"proctor/runner/ask"
	"proctor/runner/report/compare"
)

// decidedFlags say what ends a run that is held against another one.
func decidedFlags(to *ask.Until) []cli.Flag {
	to.Margin = compare.DefaultMargin
	return []cli.Flag{
		&cli.StringFlag{
			Name: "until-decided", Destination: &to.Run, Category: "EVAL",
			Usage: "ask the questions of `RUN`, in an order that holds all subjects in proportion, and stop as soon as this model is " +
				"shown to be worse than RUN's, better, or not worse by --margin, over the set that they are drawn from: at most 5 % of " +
				"such decisions are wrong, however often one looks",
		},
		pointsFlag(cli.StringFlag{
			Name: "margin", Category: "EVAL",
			Usage: "with --until-decided: how many percentage `POINTS` worse still counts as not worse, as in 2pp",
		}, share{to: &to.Margin, least: bound{0, true}, most: bound{1, true}}),
	}
}
