package main

import (
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/runner/ask/spec"
	"proctor/runner/mark/grade"
	"proctor/runner/report"
)

// Rules explains rule sets.
func Rules(p *console.Program) *cli.Command {
	var result console.Result[[]report.ExplainedRules]
	w := console.WordsOf("rules")
	return w.Command(&cli.Command{
		Flags: result.Flags(w, report.RuleFormats),
		Action: func(c *cli.Context) error {
			sets := grade.Sets()
			if c.Args().Present() {
				sets = nil
			}
			for _, ref := range c.Args().Slice() {
				var named spec.Rules
				if err := named.Set(ref); err != nil {
					return err
				}
				set, err := grade.Lookup(named.String())
				if err != nil {
					return err
				}
				sets = append(sets, set)
			}
			return result.Deliver(p, report.ExplainRules(sets))
		},
	})
}
