package reading

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/journal"
	"proctor/runner/journal/exportlog"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
)

// Export writes a run as another harness's log.
func Export(p *console.Program) *cli.Command {
	var as, folder string
	return &cli.Command{
		Name:      "export",
		Usage:     "export a run as another harness's log",
		ArgsUsage: "RUN",
		Description: "Writes a run of mmlu_pro as other harnesses write theirs, marked by their rules, for their tables and scripts:\n\n" +
			"   tiger       SUBJECT.json, for the MMLU-Pro authors' compute_accuracy.py\n" +
			"   lm-eval     MODEL/samples_….jsonl and results_….json, as with --log_samples\n" +
			"   evalscope   predictions/, reviews/ and reports/, as in its work_dir\n\n" +
			"   proctor export runs/q4 --as tiger -o q4-tiger\n" +
			"   python compute_accuracy.py q4-tiger\n\n" +
			"The same count here: proctor report RUN --rules tiger (or lm-eval, evalscope). The authors' scripts guess where\n" +
			"no answer was found. Failed items and repeats are left out. proctor import reads all three again.",
		Flags: []cli.Flag{
			flags.Text(&as, "as", "", "", "`FORMAT`: tiger, lm-eval or evalscope"),
			flags.Text(&folder, "o", "", "", "`FOLDER` to write into: a new or an empty one"),
		},
		Action: func(c *cli.Context) error { return exportRun(p, c.Args().Slice(), as, folder) },
	}
}

func exportRun(p *console.Program, runs []string, as, folder string) error {
	if len(runs) != 1 || as == "" || folder == "" {
		return errors.New("export needs a RUN, --as tiger, lm-eval or evalscope, and -o FOLDER, a new folder for the log")
	}
	shape, err := exportlog.Lookup(as)
	if err != nil {
		return fmt.Errorf("--as %s: %w", as, err)
	}
	rules, err := grade.Lookup(shape.RuleSet)
	if err != nil {
		return err
	}
	run, err := exportlog.Open(runs[0], marker{rules})
	if err != nil {
		return err
	}
	files, err := shape.Write(run, folder)
	if err != nil {
		return err
	}
	for _, note := range run.Notes {
		p.Note("note: " + note)
	}
	fmt.Fprintf(p.Stdout, "%s: %s in %s\n", folder, format.Several(run.Items(), "item"), format.Several(files, "file"))
	return nil
}

// A marker marks what is exported.
type marker struct{ grade.RuleSet }

// Marked is as [exportlog.Marker] has it.
func (m marker) Marked(h *journal.Header, r *journal.Record) (letter string, correct bool) {
	mark := m.Mark(h, r)
	return mark.Letter, mark.Correct
}

// Completion is as [exportlog.Marker] has it.
func (m marker) Completion(h *journal.Header, r *journal.Record) string {
	return grade.Completion(h, r)
}
