package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/runner/journal"
	"proctor/runner/journal/exportlog"
	"proctor/runner/journal/output"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
)

// Export writes a run as a log of lm-evaluation-harness.
func Export(p *console.Program) *cli.Command {
	var folder string
	w := console.WordsOf("export")
	return w.Command(&cli.Command{
		Flags:  []cli.Flag{w.Text("o", &folder, console.ToFolder)},
		Action: func(c *cli.Context) error { return exportRun(p, c.Args().Slice(), folder) },
	})
}

func exportRun(p *console.Program, runs []string, folder string) error {
	if len(runs) != 1 || folder == "" {
		return errors.New("export needs a RUN, and -o FOLDER, a new folder for the log")
	}
	if err := output.Vacant(folder); err != nil {
		return fmt.Errorf("-o %w", err)
	}
	run, err := exportlog.Open(runs[0], func(ruleSet string) (exportlog.Marker, error) {
		rules, err := grade.Lookup(ruleSet)
		return func(h *journal.Header, r *journal.Record) (completion, letter string, correct bool) {
			mark := rules.Mark(h, r)
			return grade.Completion(h, r), mark.Letter, mark.Correct
		}, err
	})
	if err != nil {
		return err
	}
	files, err := run.Write(folder)
	if err != nil {
		return err
	}
	for _, note := range run.Notes {
		p.Note("note: " + note)
	}
	fmt.Fprintf(p.Stdout, "%s: %s in %s\n", folder, format.Several(run.Items(), "item"), format.Several(files, "file"))
	return nil
}
