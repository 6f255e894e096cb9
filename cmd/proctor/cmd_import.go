package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/runner/journal/importlog"
)

func (p *program) importLog() *cli.Command {
	var run string
	return &cli.Command{
		Name:      "import",
		Usage:     "import another harness's log as a run",
		ArgsUsage: "FILE…",
		Description: "Takes the MMLU-Pro authors' eval_results (JSON, or zipped) and lm-evaluation-harness's samples\n" +
			"(--log_samples, JSON Lines). Several files of one log, such as one a subject, become one run.\n\n" +
			"   proctor import model_outputs_Phi-3-mini.zip -o runs/phi-3\n" +
			"   proctor report runs/phi-3 --rules tiger-strict",
		Flags:  []cli.Flag{&cli.StringFlag{Name: "o", Destination: &run, Usage: "`RUN` to write: a folder, or a journal's path"}},
		Action: func(c *cli.Context) error { return p.importFiles(c.Args().Slice(), run) },
	}
}

func (p *program) importFiles(files []string, run string) error {
	if len(files) == 0 || run == "" {
		return errors.New("import needs the log's FILE and -o RUN, the folder of the run to write")
	}
	log, err := importlog.Read(files...)
	if err != nil {
		return err
	}
	log.Header.ToolVersion = version
	if err := log.Keep(run); err != nil {
		return err
	}
	for _, note := range log.Header.Notes {
		p.note("note: " + note)
	}
	fmt.Fprintf(p.stdout, "%s: %d items\n", run, len(log.Records))
	return nil
}
