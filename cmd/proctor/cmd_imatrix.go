package main

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
	"proctor/runner/ask/score"
	"proctor/runner/ask/spec"
)

type imatrixOptions struct {
	from, out string
	limit     int
	spec.Model
	model registry.Options
}

// Imatrix collects an importance matrix.
func Imatrix(p *console.Program) *cli.Command {
	o := imatrixOptions{Model: spec.Default().Model, model: console.Showing(p)}
	w := console.WordsOf("imatrix")
	return w.Command(&cli.Command{
		Flags: slices.Concat([]cli.Flag{
			w.Text("from", &o.from),
			w.Text("out", &o.out, console.ToFile),
			w.Int("limit", &o.limit, flags.Valid(func(n int) bool { return n > 0 }, "it must be at least 1; leave the flag out for all")),
		}, w.Fields(&o.Model, "model", "kernels"), []cli.Flag{
			w.Switch("quiet", &o.model.Quiet),
		}),
		Before: w.Refusing(),
		Action: func(c *cli.Context) error {
			o.Model.Model, o.model.Given = c.Args().First(), c.LocalFlagNames()
			if err := console.Named(&o.model, &o.Model); err != nil {
				return err
			}
			if c.NArg() != 1 || o.from == "" || o.out == "" {
				return errors.New("imatrix needs one MODEL, --from RUN, the folder of a run or its journal, and -o FILE to write to")
			}
			return collect(c.Context, p, o)
		},
	})
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return errors.Join(err, otherErr) == nil && os.SameFile(one, other)
}

func collect(ctx context.Context, p *console.Program, o imatrixOptions) error {
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
	model, err := registry.OpenCollector(ctx, o.model)
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
	if read.Others.Busy() {
		p.Note("busy machine: " + read.Others.String())
	}
	return nil
}
