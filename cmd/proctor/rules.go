package main

import (
	"bytes"

	"github.com/urfave/cli/v2"

	"proctor/runner/grade"
	"proctor/runner/report"
)

type rulesOptions struct {
	format string
	out    string
}

func (p program) rules() *cli.Command {
	var o rulesOptions
	return &cli.Command{
		Name:      "rules",
		Usage:     "explain the rule sets, which find the answer in a completion",
		ArgsUsage: "[NAME…]",
		Description: "Every report marks by all rule sets that fit its task; --rules of run and report chooses the headline's.\n\n" +
			"   proctor rules\n" +
			"   proctor rules tiger",
		Flags: []cli.Flag{namedFlag(&o.format, "explanation", report.RuleFormats), outputFlag(&o.out)},
		Action: func(c *cli.Context) error {
			format, err := report.RuleFormats.Of(o.format, o.out)
			if err != nil {
				return err
			}
			sets := grade.Sets()
			if c.Args().Present() {
				sets = nil
			}
			for _, name := range c.Args().Slice() {
				set, err := grade.Lookup(name)
				if err != nil {
					return err
				}
				sets = append(sets, set)
			}
			var out bytes.Buffer
			if err := format.Write(&out, report.Explain(sets)); err != nil {
				return err
			}
			return p.deliver(o.out, out.Bytes())
		},
	}
}
