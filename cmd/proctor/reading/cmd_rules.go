package reading

import (
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/options"
	"proctor/runner/mark/grade"
	"proctor/runner/report/rules"
)

// Rules explains rule sets.
func Rules(p *console.Program) *cli.Command {
	var result console.Result[[]rules.Explained]
	return &cli.Command{
		Name:      "rules",
		Usage:     "explain the rule sets that find the answer in a completion",
		ArgsUsage: "[NAME or FILE…]",
		Description: "Every report marks with all rule sets that fit its task; --rules of run and report chooses the one for the score.\n\n" +
			"   proctor rules\n" +
			"   proctor rules tiger\n" +
			"   proctor rules mine.rules         what your own file does, or its errors\n\n" + grade.RuleHelp,
		Flags: result.Flags("explanation", rules.Formats),
		Action: func(c *cli.Context) error {
			sets := grade.Sets()
			if c.Args().Present() {
				sets = nil
			}
			for _, ref := range c.Args().Slice() {
				name, err := options.RuleSet(ref)
				if err != nil {
					return err
				}
				set, err := grade.Lookup(name)
				if err != nil {
					return err
				}
				sets = append(sets, set)
			}
			return result.Deliver(p, rules.Explain(sets))
		},
	}
}
