package reading

import (
	"fmt"

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
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema of a command's JSON",
		ArgsUsage: "[DOCUMENT]",
		Description: "DOCUMENT is one of these (default: report):\n\n" + written + "\n" +
			"   proctor schema > report.schema.json\n" +
			"   proctor schema compare > compare.schema.json\n\n" +
			"The schemas (draft 2020-12) name every field that proctor writes.",
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
	}
}
