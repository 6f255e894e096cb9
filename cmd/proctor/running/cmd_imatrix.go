package running

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/runner/ask/score"
)

type imatrixOptions struct {
	from, out string
	limit     int
	model     registry.Options
}

// Imatrix collects an importance matrix.
func Imatrix(p *console.Program) *cli.Command {
	o := imatrixOptions{model: options.Showing(p)}
	o.model.InProcess = true
	return &cli.Command{
		Name:      "imatrix",
		Usage:     "compute an importance matrix from a run, for better small quantisations",
		ArgsUsage: "MODEL --from RUN -o FILE",
		Description: "Reads the prompts and completions of RUN with MODEL, as fast as prompts, and sums the squared inputs of each column of\n" +
			"its weight matrices (for each expert in a mixture). A quantiser then keeps the columns with large sums more exactly.\n" +
			"FILE has the format of llama.cpp's llama-imatrix (GGUF); llama-quantize --imatrix reads it.\n\n" +
			"   proctor run --model model-F16.gguf --limit 140 --seed 2 --out runs/calibration\n" +
			"   proctor imatrix model-F16.gguf --from runs/calibration -o imatrix.gguf\n" +
			"   proctor imatrix model-F16.gguf --from runs/calibration --limit 50 -o imatrix.gguf    fewer texts, spread over the run\n\n" +
			"MODEL should be the F16 file that you will quantise. Use other questions than those of the later evaluation. Shared\n" +
			"beginnings of prompts are read once; the last layer is collected from completions alone.",
		Flags: slices.Concat([]cli.Flag{
			flags.Text(&o.from, "from", "", "", "read the prompts and completions of `RUN`"),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Destination: &o.out, Usage: "write the matrix to `FILE`"},
			&cli.IntFlag{
				Name: "limit", DefaultText: "all", Destination: &o.limit, Usage: "read `N` items, spread evenly over the run",
				Action: flags.Valid("limit", func(n int) bool { return n > 0 }, "it must be at least 1; leave the flag out for all"),
			},
		}, flags.But(options.ModelFlags(&o.model), "model", "kernels"), options.GPUFlags(&o.model), []cli.Flag{
			options.IsolateFlag(&o.model),
			flags.Quiet(&o.model.Quiet),
		}),
		Before: flags.Refusing(options.GPURefusals),
		Action: func(c *cli.Context) error {
			o.model.Ref, o.model.Given = c.Args().First(), c.LocalFlagNames()
			if c.NArg() != 1 || o.from == "" || o.out == "" {
				return errors.New("imatrix needs one MODEL, --from RUN, the folder of a run or its journal, and -o FILE to write to")
			}
			return collect(c.Context, p, o)
		},
	}
}

// sameFile says whether two paths lead to one file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return errors.Join(err, otherErr) == nil && os.SameFile(one, other)
}

// collect makes the matrix.
func collect(ctx context.Context, p *console.Program, o imatrixOptions) error {
	if err := console.CanDeliver(o.out); err != nil {
		return err
	}
	p.Quiet = o.model.Quiet
	if file, err := registry.File(o.model.Ref); err == nil && sameFile(file.Path, o.out) {
		return fmt.Errorf("-o %s: that is the model itself: write to another file", o.out)
	}
	transcripts, err := score.Open(o.from, "")
	if err != nil {
		return err
	}
	defer transcripts.Close()
	transcripts.Limit(o.limit)
	model, err := registry.Collecting(ctx, o.model)
	if err != nil {
		return err
	}
	defer model.Close()
	read, err := transcripts.Force(ctx, model, score.Options{
		Confidence: 0.95, Now: p.Now, OnPlan: p.Note, Watch: scoring(p, o.model.Ref),
	})
	if err != nil {
		return err
	}
	for _, failed := range read.Failed {
		p.Warn(fmt.Sprintf("%s was not read: %s", failed.ID, failed.Error))
	}
	err = p.DeliverBy(o.out, func(to io.Writer) error { return model.WriteImatrix(to, transcripts.Source()) })
	if err != nil {
		return err
	}
	p.Note(fmt.Sprintf("%s: of %s", o.out, english.Plural(len(read.ByItem), "item", "")))
	return nil
}
