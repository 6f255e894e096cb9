package questions

import (
	"errors"
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
	return &cli.Command{
		Name:  "style",
		Usage: "list prompt styles, or export one to adapt",
		Description: "   proctor style list\n" +
			"   proctor style export tiger -o mine.style      then edit it, its name first\n" +
			"   proctor render --style mine.style --question 1\n" +
			"   proctor run --style mine.style --shots 0\n\n" + flags.More +
			"With --shots 0 a style asks without examples (zero-shot). Styles that end in -direct ask for the answer without\n" +
			"reasoning.\n\n" + prompts.StyleHelp + "\n\n" + strings.Join(prompts.TemplateHelp(), "\n"),
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the built-in styles", Flags: []cli.Flag{flags.Format(&format, "list", stylesFormats)},
				Action: flags.Only(func(*cli.Context) error {
					return format.Write(p.Stdout, slices.Concat(prompts.Styles, prompts.Published))
				}),
			},
			{
				Name: "export", Usage: "write a built-in style's file", ArgsUsage: "NAME", Flags: []cli.Flag{
					flags.Output(&out),
					flags.Switch(&replace, "replace", "", "overwrite an existing FILE"),
				},
				Action: func(c *cli.Context) error {
					if c.NArg() != 1 {
						return errors.New("style export takes one NAME: `proctor style list` has them")
					}
					style, err := prompts.LookupStyle(c.Args().First())
					if err != nil {
						return err
					}
					if output.Replaces(out) && !replace {
						return fmt.Errorf("%s is there already, and may be a style that somebody changed: write to another file, or give "+
							"--replace", out)
					}
					return p.Deliver(out, []byte(style.Text))
				},
			},
		},
	}
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
	section.Facts.Add("mmlu-prox-…@1", "lm-evaluation-harness, mmlu_prox version 0.0, each in its language",
		"such as mmlu-prox-de: "+strings.Join(prompts.ProxLanguages(), ", "))
	out := page.Page{}
	out.Add(section)
	return out
})
