package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask"
	"proctor/runner/ask/budget"
	"proctor/runner/ask/samplesize"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/report/page"
)

type planOptions struct {
	spec.Spec
	aim          samplesize.Aim
	expected     *float64
	pace         samplesize.Pace // from flags
	outputTokens int             // 0 if not given
	run          string          // finished run with the pace; empty for none
	runs         bool            // two finished runs follow, which have the discordance
	model        registry.Options
	full         bool // show how each figure is computed
	json         bool
}

// Plan estimates how many questions a precision takes.
func Plan(p *console.Program) *cli.Command {
	o := planOptions{Spec: spec.Default(), model: console.Showing(p)}
	w := console.WordsOf("plan", "{output}", strconv.Itoa(backends.AssumedOutput), "{discordance}", format.TypedShare(samplesize.DefaultDiscordance))
	return w.Command(&cli.Command{
		Flags:  o.cliFlags(w),
		Before: w.Refusing(),
		Action: func(c *cli.Context) error {
			if err := o.arguments(p, c); err != nil {
				return err
			}
			if o.model.Engine != "" && o.model.Ref == "" {
				return errors.New("--engine goes with --model")
			}
			o.model.Given = c.LocalFlagNames()
			return planRuns(c.Context, p, o, c.Args().Slice())
		},
	})
}

// arguments reads the MODEL, or a finished RUN, whose set and examples are the plan's unless flags give others. With a RUN it asks how many
// questions it takes to decide about another model.
func (o *planOptions) arguments(p *console.Program, c *cli.Context) error {
	header, err := journal.HeaderOf(c.Args().First())
	switch {
	case o.runs:
		return nil
	case c.NArg() != 1 || err != nil:
		return console.OneModel(c)
	case o.run != "":
		return fmt.Errorf("plan takes one RUN: %s as --run, or %s as the argument", o.run, c.Args().First())
	}
	o.run = c.Args().First()
	for _, name := range []string{"data", "shots"} {
		if given := header.Flags[name]; len(given) == 1 && !c.IsSet(name) {
			p.Note(fmt.Sprintf("proctor: --%s %s, as %s has it", name, given[0], o.run))
			if err := c.Set(name, given[0]); err != nil {
				return err
			}
		}
	}
	if o.aim.HalfWidth == 0 && o.aim.Detect == 0 && o.Limit == (spec.Limit{}) {
		o.aim.Detect = pairs.DefaultMargin
	}
	return nil
}

func (o *planOptions) cliFlags(w *flags.Words) []cli.Flag {
	return slices.Concat(w.Fields(&o.Questions), []cli.Flag{
		w.Points("half-width", flags.Share{To: &o.aim.HalfWidth, Positive: true, Below: 0.5}),
		w.Share("expect", flags.Share{Given: &o.expected}),
		w.Points("detect", flags.Share{To: &o.aim.Detect, Positive: true}),
		w.Share("discordance", flags.Share{To: &o.aim.Discordance, Positive: true}),
		w.Switch("runs", &o.runs),
		w.Confidence(&o.aim.Confidence),
		w.Text("model", &o.model.Ref),
		w.Text("engine", &o.model.Engine),
		w.Int("output-tokens", &o.outputTokens, atLeastOne),
		w.Read("speed", func(speed string) (err error) {
			o.pace.Source = "as given"
			o.pace.Prefill, o.pace.Decode, err = speedOf(speed)
			return err
		}),
		w.Text("run", &o.run),
		w.Switch("full", &o.full),
		w.Switch("json", &o.json),
	}, w.Pick(&o.Spec, "repeats", "think-budget"))
}

func planRuns(ctx context.Context, p *console.Program, o planOptions, runs []string) error {
	aim, pace, err := o.expectations(runs)
	if err != nil {
		return err
	}
	set, err := console.OpenForRun(p, &o.Questions)
	if err != nil {
		return err
	}
	evals, err := o.Evals(set)
	if err != nil {
		return err
	}
	count := ask.EstimateAt(cmp.Or(pace.CharsPerToken, ask.CharsPerToken))
	var model registry.Reader
	if o.model.Ref != "" {
		if model, err = o.reader(ctx, pace.Prefill > 0); err != nil {
			return err
		}
		defer model.Close()
		count = ask.Counting(model)
	}
	var plans []samplesize.Plan
	for _, eval := range evals {
		if pace, err = o.paceOf(ctx, model, set, eval, pace); err != nil {
			return err
		}
		size, err := aim.Draw(set, o.Of(eval.Task))
		if err != nil {
			return err
		}
		cost, err := o.cost(set, eval, size.Questions, count)
		if err != nil {
			return err
		}
		counted := samplesize.Prompts{Cost: cost, CountedBy: o.model.Ref}
		planned := samplesize.New(eval.Task.Name, set.Name, aim, size, o.Repeats, counted, pace)
		planned.Published = set.Published() != ""
		plans = append(plans, planned)
	}
	if o.json {
		return page.JSON(p.Stdout, plans)
	}
	if o.full {
		return samplesize.Text(p.Stdout, plans)
	}
	return samplesize.Short(p.Stdout, plans)
}

// reader opens the whole model if its speed must be measured, else only what counts tokens.
func (o planOptions) reader(ctx context.Context, timed bool) (registry.Reader, error) {
	if timed || o.model.Served() {
		return registry.OpenReader(ctx, o.model, false)
	}
	model, err := registry.OpenModel(ctx, o.model)
	if err != nil {
		return nil, err
	}
	if reader, reads := model.(registry.Reader); reads {
		return reader, nil
	}
	return nil, errors.Join(fmt.Errorf("%s gives no vocabulary to count with", o.model.Ref), model.Close())
}

// paceOf is the pace; if no speed is given it measures the model for a second.
func (o planOptions) paceOf(ctx context.Context, model registry.Reader, set *dataset.Set, eval prompts.Eval, pace samplesize.Pace) (
	samplesize.Pace, error) {
	forecaster, can := model.(backends.Forecaster)
	if !can || pace.Prefill > 0 {
		return pace, nil
	}
	capped := o.Spec
	capped.MaxTokens = max(backends.AssumedOutput, pace.Output.Tokens)
	questions, err := ask.NewQuestions(set, eval, o.Selection(), capped)
	if err != nil {
		return pace, err
	}
	plan, err := questions.Raw().Measure(model, nil)
	if err != nil {
		return pace, err
	}
	known, err := forecaster.Forecast(ctx, plan.Workload())
	if err == nil && known.Prefill > 0 {
		pace.Prefill, pace.Decode, pace.Source = known.Prefill, known.Decode, known.Source
	}
	if known.Rough {
		pace.Source, pace.Rough = "measured in a second here", true
	}
	return pace, err
}

// expectations returns what a run is to find out, and the model's speed.
func (o planOptions) expectations(runs []string) (aim samplesize.Aim, pace samplesize.Pace, err error) {
	aim, pace = o.aim, o.pace
	aim.Expected = samplesize.WorstCase
	if o.expected != nil {
		aim.Expected = *o.expected
	}
	if o.run != "" {
		base, err := samplesize.BaseOf(o.run)
		if err == nil && o.expected == nil {
			aim.Expected, err = base.Expected()
		}
		if err != nil {
			return aim, pace, err
		}
		pace = base.Pace
	}
	switch {
	case o.runs && len(runs) != 2:
		return aim, pace, fmt.Errorf("--runs takes two finished runs, as in --runs runs/q8 runs/q4, not %d", len(runs))
	case o.runs:
		aim.Source = "as between " + runs[0] + " and " + runs[1]
		if aim.Discordance, err = samplesize.DiscordanceOf(runs[0], runs[1]); err != nil {
			return aim, pace, err
		}
	case aim.Detect > 0 && aim.Discordance == 0:
		aim.Discordance, aim.Source = samplesize.DefaultDiscordance, "assumed: --runs A B measures it"
	}
	if len(o.Budgets) > 0 {
		pace.Output = budget.Full(o.Budgets, backends.AssumedOutput)
		if o.run != "" {
			pace.Output = budget.EarlierOf(o.run, o.Budgets, 0).Length
		}
	}
	if n := o.outputTokens; n > 0 {
		pace.Output = budget.Length{Tokens: n, Low: n, High: n, Source: "as given"}
	}
	return aim, pace, aim.Check()
}

func speedOf(text string) (prefill, decode float64, err error) {
	first, second, both := strings.Cut(text, ",")
	prefill, err = strconv.ParseFloat(strings.TrimSpace(first), 64)
	if err == nil {
		decode, err = strconv.ParseFloat(strings.TrimSpace(second), 64)
	}
	if !both || err != nil || !(prefill > 0) || !(decode > 0) || prefill+decode > 1e12 {
		return 0, 0, fmt.Errorf("--speed %s: give tokens a second of prefill and of decode, as in 650,90", text)
	}
	return prefill, decode, nil
}

// cost counts the items and tokens of a run with this many questions.
func (o planOptions) cost(set *dataset.Set, eval prompts.Eval, questions int, count ask.Count) (ask.Cost, error) {
	selection := o.Selection()
	if !selection.BySubject() {
		selection.Limit = questions
	}
	drawn, err := ask.NewQuestions(set, eval, selection, o.Spec)
	if err != nil {
		return ask.Cost{}, err
	}
	return drawn.Cost(count)
}
