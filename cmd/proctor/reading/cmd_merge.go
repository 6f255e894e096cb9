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
		Description: "A SHARD is the folder of a run that run --shard asked, its journal, or a folder that holds several; in what order\n" +
			"they are given makes no difference. Shards of other settings, the same questions twice, and missing or unfinished\n" +
			"shards are refused.\n\n" +
			"   proctor merge runs/q4/* -o runs/q4-all\n" +
			"   proctor merge runs/q4/* -o runs/q4-all --partial         with what there is; the report says what is missing\n" +
			"   proctor report runs/q4-all\n\n" +
			"What is missing from a run that was merged is asked by run --resume, on one machine. Shards of a run\n" +
			"--until-decided each have e-values; the merged run has their means, which are e-values as well.",
		Flags: []cli.Flag{
			flags.Text(&out, "o", "", "", "`RUN` to write: a folder, or a journal's path"),
			flags.Switch(&o.Partial, "partial", "", "merge although shards are missing or unfinished, and say which"),
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
