package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/runner/ask/shard"
	"proctor/runner/mark/format"
)

// Merge merges shards.
func Merge(p *console.Program) *cli.Command {
	var out string
	var partial bool
	w := console.WordsOf("merge")
	return w.Command(&cli.Command{
		Flags: []cli.Flag{w.Text("o", &out), w.Switch("partial", &partial)},
		Action: func(c *cli.Context) error {
			if !c.Args().Present() || out == "" {
				return errors.New("merge needs each SHARD, the folder of its run, and -o RUN, the folder of the run to write")
			}
			results, err := shard.Merge(c.Args().Slice(), out, partial)
			report := []string{p.Args[0], "report"}
			for _, r := range results {
				for _, warning := range r.Warnings {
					p.Warn(warning)
				}
				fmt.Fprintf(p.Stdout, "%s: %s of %s\n", r.Run, format.Several(r.Items, "item"), format.Several(r.Shards, "shard"))
				report = append(report, r.Run)
			}
			if err == nil {
				p.Note("next: " + setting.Command(report...))
			}
			return err
		},
	})
}
