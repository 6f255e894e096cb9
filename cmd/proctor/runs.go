package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/urfave/cli/v2"

	"proctor/runner/report"
)

type runsOptions struct {
	format string
	out    string
}

func (p program) runs() *cli.Command {
	var o runsOptions
	return &cli.Command{
		Name:      "runs",
		Usage:     "list the runs in a folder",
		ArgsUsage: "[DIR]",
		Description: "Lists the runs in DIR (default: runs), with how far they came and what they scored. A run of several tasks has a\n" +
			"line for each.\n\n" +
			"   proctor runs\n" +
			"   proctor runs /data/runs --format csv -o runs.csv",
		Flags: []cli.Flag{namedFlag(&o.format, "list", report.RunsFormats), outputFlag(&o.out)},
		Action: func(c *cli.Context) error {
			dir := "runs"
			switch c.NArg() {
			case 0:
			case 1:
				dir = c.Args().First()
			default:
				return errors.New("runs takes one DIR, the folder that runs were written to")
			}
			format, err := report.RunsFormats.Of(o.format, o.out)
			if err != nil {
				return err
			}
			list, err := report.Runs(dir)
			if err != nil {
				return err
			}
			var out bytes.Buffer
			if err := format.Write(&out, list); err != nil {
				return err
			}
			return p.deliver(o.out, out.Bytes())
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
