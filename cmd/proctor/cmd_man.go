package main

import (
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
)

// manual writes the man page, for make dist. The library's own has no description, and so no examples.
func (p *program) manual() *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "print the man page",
		Description: "   proctor man > proctor.1",
		Action:      flags.Only(func(c *cli.Context) error { return p.deliver("", flags.Manual(c.App)) }),
	}
}
