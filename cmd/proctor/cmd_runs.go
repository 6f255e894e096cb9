package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/report/page"
	"proctor/runner/report/runs"
)

// Runs lists the runs of a folder.
func Runs(p *console.Program) *cli.Command {
	sort, where := runs.Orders[0], ""
	named, out, full := "", "", false
	w := console.WordsOf("runs", "{orders}", strings.Join(runs.Orders, ", "))
	return w.Command(&cli.Command{
		Flags: []cli.Flag{
			w.Choice("sort", runs.Orders, func(by string) { sort = by }),
			w.Text("where", &where),
			flags.Named(w, &named, runs.Full), w.Text("o", &out, console.ToFile), w.Switch("full", &full),
		},
		Before: w.Refusing(),
		Action: func(c *cli.Context) error {
			dir := "runs"
			switch c.NArg() {
			case 0:
			case 1:
				dir = c.Args().First()
			default:
				return errors.New("runs takes one DIR, the folder that runs were written to")
			}
			list, err := listed(dir, where, sort)
			if err != nil {
				return err
			}
			format, err := page.Chosen(runs.Short(p.Width()), runs.Full, named, out, full)
			if err != nil {
				return err
			}
			return console.Write(p, out, format, list)
		},
	})
}

// listed are the runs in a folder that match a text, sorted.
func listed(dir, where, sort string) ([]runs.Listed, error) {
	list, err := runs.In(dir)
	if err != nil {
		return nil, err
	}
	if list = runs.Matching(list, where); len(list) == 0 {
		return nil, fmt.Errorf("--where %s: no run in %s has that in its folder, model or task", where, dir)
	}
	runs.Sort(list, sort)
	return list, nil
}
