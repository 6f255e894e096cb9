package main

import (
	"slices"

	"github.com/urfave/cli/v2"
)

// helpCommand answers what people type beside --help.
func (p *program) helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "explain a command, as its --help does", ArgsUsage: "[COMMAND]",
		Description: "   proctor help\n   proctor help run\n   proctor help data import",
		Action: func(c *cli.Context) error {
			return p.app().RunContext(c.Context, slices.Concat(p.args[:1], c.Args().Slice(), []string{"--help"}))
		},
	}
}
