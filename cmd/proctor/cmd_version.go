package main

import (
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
)

// versionCommand is `proctor version`, which people type besides --version.
func versionCommand() *cli.Command {
	return console.WordsOf("version").Command(&cli.Command{
		Action: flags.Only(func(c *cli.Context) error {
			cli.ShowVersion(c)
			return nil
		}),
	})
}
