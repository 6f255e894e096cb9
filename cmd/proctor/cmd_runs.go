package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/urfave/cli/v2"

	"proctor/runner/report"
)

func (p *program) runs() *cli.Command {
	var result result[[]report.Listed]
	return &cli.Command{
		Name:      "runs",
		Usage:     "list the runs in a folder",
		ArgsUsage: "[DIR]",
		Description: "Lists the runs in DIR (default: runs), with how far they came and what they scored. A run of several tasks has a\n" +
			"line for each.\n\n" +
			"   proctor runs\n" +
			"   proctor runs /data/runs --format csv -o runs.csv",
		Flags: result.flags("list", report.RunsFormats),
		Action: func(c *cli.Context) error {
			dir := "runs"
			switch c.NArg() {
			case 0:
			case 1:
				dir = c.Args().First()
			default:
				return errors.New("runs takes one DIR, the folder that runs were written to")
			}
			list, err := report.Runs(dir)
			if err != nil {
				return err
			}
			return result.deliver(p, list)
		},
	}
}

// orRuns says of a folder that is no run, and holds some, how they are listed.
func orRuns(run string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if list, none := report.Runs(run); none == nil {
		return fmt.Errorf("%s is no run, but holds %d: `proctor runs %s` lists them", run, len(list), run)
	}
	return err
}
