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
	"proctor/runner/report"
)

// The formats of an exported run, the default first.
const (
	asLog = "lm-eval"
	asHub = "hub"
)

type exportOptions struct {
	as     string
	folder string
	source string // the run's address
}

// Export writes a run in other programs' formats.
func Export(p *console.Program) *cli.Command {
	var o exportOptions
	w := console.WordsOf("export")
	return w.Command(&cli.Command{
		Flags: []cli.Flag{
			w.Choice("as", []string{asLog, asHub}, func(word string) { o.as = word }),
			w.Text("source", &o.source),
			w.Text("o", &o.folder, console.ToFolder),
		},
		Action: func(c *cli.Context) error {
			switch {
			case c.NArg() != 1 || o.folder == "":
				return errors.New("export needs a RUN, and -o FOLDER, a new folder for the log")
			case o.as == asHub:
				return exportForHub(p, c.Args().First(), o)
			case o.source != "":
				return errors.New("--source goes with --as hub")
			}
			return exportLog(p, c.Args().First(), o.folder)
		},
	})
}

// exportForHub writes a score into a model's repository for the Hugging Face Hub.
func exportForHub(p *console.Program, run string, o exportOptions) error {
	result, section, err := report.WriteForHub(o.folder, run, o.source)
	if err == nil {
		fmt.Fprintf(p.Stdout, "%s: the score, for the model's repository\n%s: a section for its README.md\n", result, section)
	}
	return err
}

// exportLog writes a run as a log of lm-evaluation-harness.
func exportLog(p *console.Program, ref, folder string) error {
	if err := output.Vacant(folder); err != nil {
		return fmt.Errorf("-o %w", err)
	}
	run, err := exportlog.Open(ref, func(ruleSet string) (exportlog.Marker, error) {
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
