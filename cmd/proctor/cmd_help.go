package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/words"
	"proctor/runner/report/terms"
)

// helpCommand answers what people type beside --help.
func helpCommand(p *console.Program) *cli.Command {
	w := words.Of("help")
	return w.Command(&cli.Command{
		Action: func(c *cli.Context) error {
			if c.Args().First() == "terms" {
				for _, term := range terms.All {
					fmt.Fprintf(p.Stdout, "%-18s %s\n", term.Name, term.Means)
				}
				return nil
			}
			return commandLine(p).RunContext(c.Context, slices.Concat(p.Args[:1], c.Args().Slice(), []string{"--help"}))
		},
	})
}
