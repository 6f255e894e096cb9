package main

import (
	"errors"
	"fmt"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"proctor/runner/ask/merge"
	"proctor/runner/mark/format"
)

func (p *program) merge() *cli.Command {
	var out string
	var o merge.Options
	return &cli.Command{
		Name:      "merge",
		Usage:     "merge the shards of a run",
		ArgsUsage: "SHARD…",
		Description: "A SHARD is the folder of a run that run --shard asked, its journal, or a folder that holds several; in what order\n" +
			"they are given makes no difference. Shards of other settings, the same questions twice, and missing or unfinished\n" +
			"shards are refused.\n\n" +
			"   proctor merge runs/q4/* -o runs/q4-all\n" +
			"   proctor merge runs/q4/* -o runs/q4-all --partial         with what there is; the report says what is missing\n" +
			"   proctor report runs/q4-all\n\n" +
			"What is missing from a run that was merged is asked by run --resume, on one machine. Shards of a run\n" +
			"--until-decided each have e-values; the merged run has their means, which are e-values as well.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "o", Destination: &out, Usage: "`RUN` to write: a folder, or a journal's path"},
			&cli.BoolFlag{
				Name: "partial", Destination: &o.Partial, Usage: "merge although shards are missing or unfinished, and say which",
			},
		},
		Action: func(c *cli.Context) error { return p.mergeShards(c.Args().Slice(), out, o) },
	}
}

func (p *program) mergeShards(shards []string, out string, o merge.Options) error {
	if len(shards) == 0 || out == "" {
		return errors.New("merge needs each SHARD, the folder of its run, and -o RUN, the folder of the run to write")
	}
	results, err := merge.Runs(shards, out, o)
	for _, r := range results {
		for _, warning := range r.Warnings {
			p.warn(warning)
		}
		fmt.Fprintf(p.stdout, "%s: %s of %s\n", r.Run, format.Several(r.Items, "item"), format.Several(r.Shards, "shard"))
	}
	if err == nil {
		report := []string{p.args[0], "report"}
		for _, r := range results {
			report = append(report, r.Run)
		}
		p.note("next: " + shellescape.QuoteCommand(report))
	}
	return err
}
