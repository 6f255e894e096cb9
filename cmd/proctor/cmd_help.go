package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/runner/report/html"
)

// helpCommand is `proctor help`, which people type besides --help.
func helpCommand(p *console.Program) *cli.Command {
	w := console.WordsOf("help")
	return w.Command(&cli.Command{
		Action: func(c *cli.Context) error {
			if c.Args().First() == "terms" {
				for _, term := range html.Terms {
					fmt.Fprintf(p.Stdout, "%-18s %s\n", term.Name, term.Means)
				}
				return nil
			}
			return commandLine(p).RunContext(c.Context, slices.Concat(p.Args[:1], c.Args().Slice(), []string{"--help"}))
		},
	})
}
