package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/runner/ask/score"
	"proctor/runner/ask/spec"
	"proctor/runner/mark/divergence"
	pages "proctor/runner/report/divergence"
)

type scoreOptions struct {
	models     []string
	against    string
	ruleSet    string
	confidence float64
	model      registry.Options
	result     console.Result[*divergence.Score]
}

// notOfScore are flags of settings that score does not have: its models are arguments, and in files.
var notOfScore = []string{"model", "keep-logprobs", "servers", "extra-body", "concurrency", "timeout"}

// Score reads a run's completions with other models.
func Score(p *console.Program) *cli.Command {
	o := scoreOptions{model: console.Showing(p)}
	o.model.Settings = spec.Default().Settings
	w := console.WordsOf("score")
	return w.Command(&cli.Command{
		Flags: slices.Concat([]cli.Flag{
			w.Text("against", &o.against),
			w.Confidence(&o.confidence),
			console.RulesFlag(w, &o.ruleSet),
		}, w.Fields(&o.model.Settings, notOfScore...), []cli.Flag{
			w.Switch("quiet", &o.model.Quiet),
		}, o.result.FlagsWithFull(w, pages.Formats, pages.Full)),
		Before: w.Refusing(),
		Action: func(c *cli.Context) error {
			o.models = c.Args().Slice()
			if err := o.model.Set(o.model.Settings, c.LocalFlagNames()); err != nil {
				return err
			}
			return scoreModels(c.Context, p, o)
		},
	})
}

func scoreModels(ctx context.Context, p *console.Program, o scoreOptions) error {
	switch {
	case o.against == "":
		return errors.New("score needs --against RUN, the folder of a run or its journal")
	case len(o.models) == 0:
		return errors.New("score needs a MODEL, such as a GGUF file, to read the completions of " + o.against)
	}
	if err := o.result.Check(); err != nil {
		return err
	}
	for _, o.model.Model = range o.models {
		if err := o.model.CheckScores(); err != nil {
			return err
		}
	}
	p.Quiet = o.model.Quiet
	transcripts, err := score.Open(o.against, o.ruleSet)
	if err != nil {
		return err
	}
	defer transcripts.Close()
	total := transcripts.Score(o.confidence)
	for _, lacks := range total.Warnings { // before minutes of reading
		p.Note("! " + lacks)
	}
	draw, began := p.Draw(), p.Now()
	for _, o.model.Model = range o.models {
		open := func(ctx context.Context) (backends.Model, error) {
			model, err := registry.OpenModel(ctx, o.model)
			began = p.Now()
			return model, err
		}
		watch := func(done, all int) {
			switch {
			case draw == nil || p.Quiet:
			case done == all:
				draw("")
			default:
				draw(fmt.Sprintf("%s: %d of %d completions%s", o.model.Model, done, all,
					console.Eta(p.Now().Sub(began), int64(done), int64(all))))
			}
		}
		scored, err := transcripts.Force(ctx, open, score.Options{
			Confidence: o.confidence, Now: p.Now, OnPlan: p.Note, Watch: watch,
		})
		if err != nil {
			return err
		}
		total.Models = append(total.Models, scored)
	}
	return o.result.Deliver(p, total)
}
