package main

import (
	"github.com/urfave/cli/v2"

	"proctor/runner/mark/grade"
	"proctor/runner/report"
)

func (p *program) rules() *cli.Command {
	var result result[[]report.Explained]
	return &cli.Command{
		Name:      "rules",
		Usage:     "explain the rule sets that find the answer in a completion",
		ArgsUsage: "[NAME or FILE…]",
		Description: "Every report marks by all rule sets that fit its task; --rules of run and report chooses the headline's.\n\n" +
			"   proctor rules\n" +
			"   proctor rules tiger\n" +
			"   proctor rules mine.rules         what your own file takes, or what is wrong with it\n\n" + grade.RuleHelp,
		Flags: result.flags("explanation", report.RuleFormats),
		Action: func(c *cli.Context) error {
			sets := grade.Sets()
			if c.Args().Present() {
				sets = nil
			}
			for _, ref := range c.Args().Slice() {
				name, err := ruleSet(ref)
				if err != nil {
					return err
				}
				set, err := grade.Lookup(name)
				if err != nil {
					return err
				}
				sets = append(sets, set)
			}
			return result.deliver(p, report.Explain(sets))
		},
	}
}
