package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/mark/grade"
	"proctor/runner/report/items"
	"proctor/runner/report/page"
)

type showOptions struct {
	ruleSet string
	format  page.Format[*items.Item]
}

// Show shows an item of a run.
func Show(p *console.Program) *cli.Command {
	var o showOptions
	w := console.WordsOf("show", "{meanings}", meanings())
	return w.Command(&cli.Command{
		Flags: []cli.Flag{console.RulesFlag(w, &o.ruleSet), flags.Format(w, &o.format, items.ItemFormats)},
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return errors.New("show needs a RUN, the folder of a run or its journal, and the ID of one of its items")
			}
			item, err := items.Find(c.Args().Get(0), c.Args().Get(1), o.ruleSet)
			if err != nil {
				return err
			}
			if p.Coloured != nil && o.format.Name == items.ItemFormats[0].Name {
				return item.Coloured(p.Coloured)
			}
			return o.format.Write(p.Stdout, item)
		},
	})
}

// meanings are the failure tags and causes, for help.
func meanings() string {
	var b strings.Builder
	b.WriteString("Tags and causes:\n")
	for _, e := range grade.Explanations(grade.Failed{Header: grade.NoRun}) {
		fmt.Fprintf(&b, "   %-14s %s\n%18s→ %s\n", e.Name, e.Means, "", e.Remedy)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
