package main

import (
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/words"
)

// manual writes the man page, for make dist. The library's own has no description, and so no examples.
func manual(p *console.Program) *cli.Command {
	w := words.Of("man")
	return w.Command(&cli.Command{
		Action: flags.Only(func(c *cli.Context) error { return p.Deliver("", flags.Manual(c.App)) }),
	})
}
