package reading

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/journal/importlog"
	"proctor/runner/mark/format"
)

// Import makes a run of another harness's log.
func Import(p *console.Program) *cli.Command {
	var run string
	return &cli.Command{
		Name:      "import",
		Usage:     "import another harness's log as a run",
		ArgsUsage: "FILE…",
		Description: "Takes, of multiple-choice questions:\n\n" +
			"   the MMLU-Pro authors' eval_results                 JSON, or zipped\n" +
			"   lm-evaluation-harness's samples (--log_samples)    samples_….jsonl\n" +
			"   evalscope's reviews                                reviews/MODEL/mmlu_pro_….jsonl\n" +
			"   OpenCompass's predictions                          predictions/MODEL/mmlu_pro_….json\n" +
			"   Inspect's logs                                     .eval or .json\n" +
			"   llama-eval's state, of GPQA                        llama-eval-state.json\n\n" +
			"Several files of one log, such as one a subject, become one run.\n\n" +
			"   proctor import model_outputs_Phi-3-mini.zip -o runs/phi-3\n" +
			"   proctor report runs/phi-3 --rules tiger-strict",
		Flags:  []cli.Flag{flags.Text(&run, "o", "", "", "`RUN` to write: a folder, or a journal's path")},
		Action: func(c *cli.Context) error { return importFiles(p, c.Args().Slice(), run) },
	}
}

func importFiles(p *console.Program, files []string, run string) error {
	if len(files) == 0 || run == "" {
		return errors.New("import needs the log's FILE and -o RUN, the folder of the run to write")
	}
	log, err := importlog.Read(files...)
	if err != nil {
		return err
	}
	log.Header.ToolVersion = p.Version
	if err := log.Keep(run); err != nil {
		return err
	}
	for _, note := range log.Header.Notes {
		p.Note("note: " + note)
	}
	fmt.Fprintf(p.Stdout, "%s: %s\n", run, format.Several(len(log.Records), "item"))
	return nil
}
