package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/task"
	"proctor/runner/journal/output"
	"proctor/runner/report/page"
)

// Style lists and exports prompt styles.
func Style(p *console.Program) *cli.Command {
	var out string
	var replace bool
	var format page.Format[[]prompts.Style]
	w := console.WordsOf("style")
	list, export := w.Below("list"), w.Below("export")
	return w.Command(&cli.Command{
		Subcommands: []*cli.Command{
			list.Command(&cli.Command{
				Flags: []cli.Flag{flags.Format(list, &format, stylesFormats)},
				Action: flags.Only(func(*cli.Context) error {
					return format.Write(p.Stdout, slices.Concat(prompts.Styles, prompts.Published))
				}),
			}),
			export.Command(&cli.Command{
				Flags: []cli.Flag{export.Text("o", &out, console.ToFile), export.Switch("replace", &replace)},
				Action: flags.One("style export takes one NAME: `proctor style list` has them", func(_ *cli.Context, name string) error {
					style, err := prompts.LookupStyle(name)
					if err != nil {
						return err
					}
					if output.Replaces(out) && !replace {
						return fmt.Errorf("%s is there already, and may be a style that somebody changed: write to another file, or give "+
							"--replace", out)
					}
					return p.Deliver(out, []byte(style.Text))
				}),
			}),
		},
	})
}

var stylesFormats = page.FormatsOf(func(styles []prompts.Style) page.Page {
	section := page.Section{Title: "Prompt styles"}
	for _, style := range styles {
		var tasks []string
		for _, t := range task.All {
			if style.LaysOut(t) {
				tasks = append(tasks, t.Name)
			}
		}
		section.Facts.Add(style.Name, style.Summary, "marked by "+style.Rules+"; "+strings.Join(tasks, ", "))
	}
	out := page.Page{}
	out.Add(section)
	return out
})
