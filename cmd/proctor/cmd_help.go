package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/runner/report/terms"
)

// helpCommand answers what people type beside --help.
func helpCommand(p *console.Program) *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "explain a command, like its --help, or the terms of reports", ArgsUsage: "[COMMAND|terms]",
		Description: "   proctor help\n" +
			"   proctor help run\n" +
			"   proctor help data import\n" +
			"   proctor help terms        Wilson, mid-p, effective size and more, one line each",
		Action: func(c *cli.Context) error {
			if c.Args().First() == "terms" {
				for _, term := range terms.All {
					fmt.Fprintf(p.Stdout, "%-18s %s\n", term.Name, term.Means)
				}
				return nil
			}
			return commandLine(p).RunContext(c.Context, slices.Concat(p.Args[:1], c.Args().Slice(), []string{"--help"}))
		},
	}
}
