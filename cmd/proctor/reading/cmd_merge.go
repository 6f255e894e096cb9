package reading

import (
	"errors"
	"fmt"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/merge"
	"proctor/runner/mark/format"
)

// Merge merges shards.
func Merge(p *console.Program) *cli.Command {
	var out string
	var o merge.Options
	return &cli.Command{
		Name:      "merge",
		Usage:     "merge the shards of a run",
		ArgsUsage: "SHARD…",
		Description: "SHARD is the folder of a run with --shard, its journal, or a folder that holds several; their order does not matter.\n" +
			"merge refuses shards with different settings, duplicate questions, and missing or unfinished shards.\n\n" +
			"   proctor merge runs/q4/* -o runs/q4-all\n" +
			"   proctor merge runs/q4/* -o runs/q4-all --partial         merge what exists; the report names what is missing\n" +
			"   proctor report runs/q4-all\n\n" +
			"run --resume asks what a merged run lacks, on one machine. Each shard of a run --until-decided has e-values; the merged\n" +
			"run has their means, which are e-values too.",
		Flags: []cli.Flag{
			flags.Text(&out, "o", "", "", "`RUN` to write: a folder, or a journal's path"),
			flags.Switch(&o.Partial, "partial", "", "merge even if shards are missing or unfinished, and name them"),
		},
		Action: func(c *cli.Context) error { return mergeShards(p, c.Args().Slice(), out, o) },
	}
}

func mergeShards(p *console.Program, shards []string, out string, o merge.Options) error {
	if len(shards) == 0 || out == "" {
		return errors.New("merge needs each SHARD, the folder of its run, and -o RUN, the folder of the run to write")
	}
	results, err := merge.Runs(shards, out, o)
	for _, r := range results {
		for _, warning := range r.Warnings {
			p.Warn(warning)
		}
		fmt.Fprintf(p.Stdout, "%s: %s of %s\n", r.Run, format.Several(r.Items, "item"), format.Several(r.Shards, "shard"))
	}
	if err == nil {
		report := []string{p.Args[0], "report"}
		for _, r := range results {
			report = append(report, r.Run)
		}
		p.Note("next: " + shellescape.QuoteCommand(report))
	}
	return err
}
