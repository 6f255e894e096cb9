package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/runner/report/schema"
)

// Schema prints the JSON Schema of a command's JSON.
func Schema(p *console.Program) *cli.Command {
	written := ""
	for _, d := range schema.Documents() {
		written += fmt.Sprintf("   %-10s %s\n", d.Name, d.By)
	}
	w := console.WordsOf("schema", "{documents}", strings.TrimSuffix(written, "\n"))
	return w.Command(&cli.Command{
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			switch {
			case c.NArg() == 0:
				name = schema.Documents()[0].Name
			case c.NArg() > 1:
				return fmt.Errorf("schema takes one DOCUMENT, not %d: %s", c.NArg(), schema.Names())
			}
			text, err := schema.Of(name)
			if err != nil {
				return err
			}
			return p.Deliver("", text)
		},
	})
}
