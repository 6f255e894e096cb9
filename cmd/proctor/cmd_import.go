package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/runner/journal"
	"proctor/runner/journal/importlog"
	"proctor/runner/mark/format"
)

// Import converts another harness's log to a run.
func Import(p *console.Program) *cli.Command {
	var run string
	w := console.WordsOf("import")
	return w.Command(&cli.Command{
		Flags:  []cli.Flag{w.Text("o", &run)},
		Action: func(c *cli.Context) error { return importLog(p, c.Args().Slice(), run) },
	})
}

func importLog(p *console.Program, paths []string, run string) error {
	if len(paths) == 0 || run == "" {
		return errors.New("import needs the log's FILE or FOLDER, and -o RUN, the folder of the run to write")
	}
	if err := journal.Vacant(run); err != nil {
		return fmt.Errorf("-o %w", err)
	}
	log, err := importlog.Read(paths...)
	if err != nil {
		return err
	}
	log.Header.History[0].ToolVersion = p.Version
	if err := log.Keep(run); err != nil {
		return err
	}
	for _, note := range log.Header.Notes {
		p.Note("note: " + note)
	}
	fmt.Fprintf(p.Stdout, "%s: %s\n", run, format.Several(len(log.Records), "item"))
	return nil
}
