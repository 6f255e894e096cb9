package main

import (
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
)

// manual writes the man page, for make dist. The library's own has no description, and so no examples.
func manual(p *console.Program) *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "print the man page",
		Description: "   proctor man > proctor.1",
		Action:      flags.Only(func(c *cli.Context) error { return p.Deliver("", flags.Manual(c.App)) }),
	}
}
