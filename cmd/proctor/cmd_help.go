package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
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

func completion(p *console.Program) *cli.Command {
	w := console.WordsOf("completion")
	return w.Command(&cli.Command{
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || !slices.Contains(flags.Shells, c.Args().First()) {
				return fmt.Errorf("completion takes the name of a shell: %s", strings.Join(flags.Shells, ", "))
			}
			script, err := flags.Script(c.Args().First())
			if err != nil {
				return err
			}
			return p.Deliver("", script)
		},
	})
}

// completing answers the shells, which call complete -- WORD…
func completing(p *console.Program) *cli.Command {
	return &cli.Command{
		Name: "complete", Hidden: true,
		Action: func(c *cli.Context) error { return flags.Complete(p.Stdout, c.App, c.Args().Slice()) },
	}
}
