package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/open"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner"
	"proctor/runner/samplesize"
)

func (p program) plan() *cli.Command {
	return &cli.Command{
		Name:  "plan",
		Usage: "say how many questions it takes to know something, and what asking them costs",
		Description: "Shares are fractions: 0.02 is two percentage points.\n\n" +
			"   proctor plan --half-width 0.02 --data mmlu-pro/\n" +
			"   proctor plan --detect 0.01 --discordance 0.10 --tasks mmlu_pro,mmlu_pro_binary\n" +
			"   proctor plan --limit 700 --model model-Q4_K_M.gguf --speed 650,90     counted with the model's tokenizer\n" +
			"   proctor plan --half-width 0.03 --run runs/q4                          with a finished run's speed and score\n\n" +
			"A run that should stop by itself once it knows enough: proctor run --until-half-width X.",
		Flags: append(examFlags(),
			&cli.Float64Flag{Name: "half-width", Usage: "the headline's interval is to be no wider than ± `X`", Category: "AIM"},
			&cli.Float64Flag{Name: "expect", Usage: "the headline `A` to reckon with (default: that of --run, else 0.5, which takes the most questions)", Category: "AIM"},
			&cli.Float64Flag{Name: "detect", Usage: "find a difference of `D` between two models asked the same questions, 80 % of the time", Category: "AIM"},
			&cli.Float64Flag{Name: "discordance", Usage: "share `F` of questions that one of the two models gets right and the other wrong; compare shows it as flips", Category: "AIM"},
			confidenceFlag(),
			repeatsFlag(),
			&cli.StringFlag{Name: "model", Usage: "count tokens as model `REF` does (default: estimated from characters)", Category: "COST"},
			&cli.Float64Flag{Name: "output-tokens", Usage: fmt.Sprintf("`N` tokens in a completion (default: as in --run, else %d)", samplesize.AssumedOutput), Category: "COST"},
			&cli.StringFlag{Name: "speed", Usage: "`PREFILL,DECODE` in tokens a second, decode of all slots together", Category: "COST"},
			&cli.StringFlag{Name: "run", Usage: "take speed, tokens of a completion and expected headline from finished run `RUN`", Category: "COST"},
			jsonFlag(),
		),
		Action: p.planAction,
	}
}

func (p program) planAction(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	repeats, err := repeatsOf(c)
	if err != nil {
		return err
	}
	aim, pace, err := aimOf(c)
	if err != nil {
		return err
	}
	set, err := p.openSet(c)
	if err != nil {
		return err
	}
	tasks, err := task.Parse(c.String("tasks"), set.Subjects())
	if err != nil {
		return err
	}
	count, release, err := p.counter(c)
	if err != nil {
		return err
	}
	defer release()
	var plans []samplesize.Plan
	for _, task := range tasks {
		size, err := sizeOf(c, set, task, aim)
		if err != nil {
			return err
		}
		cost, err := costOf(c, set, task, size.Questions, repeats, count)
		if err != nil {
			return err
		}
		plans = append(plans, samplesize.New(task.Name, set.Name, aim, size, repeats, samplesize.Prompts{Cost: cost, CountedBy: c.String("model")}, pace))
	}
	if c.Bool("json") {
		return p.printJSON(plans)
	}
	return samplesize.Text(p.stdout, plans)
}

// aimOf reads what the run is to find out, and how fast the model is.
func aimOf(c *cli.Context) (samplesize.Aim, samplesize.Pace, error) {
	aim := samplesize.Aim{
		HalfWidth: c.Float64("half-width"), Expected: samplesize.WorstCase, Detect: c.Float64("detect"),
		Discordance: c.Float64("discordance"), Confidence: c.Float64("confidence"),
	}
	for _, name := range []string{"half-width", "detect", "output-tokens"} {
		if c.IsSet(name) && c.Float64(name) <= 0 {
			return aim, samplesize.Pace{}, fmt.Errorf("--%s %g: it must be above 0", name, c.Float64(name))
		}
	}
	if c.IsSet("limit") && (c.IsSet("half-width") || c.IsSet("detect")) {
		return aim, samplesize.Pace{}, errors.New("--limit says how many questions to ask, --half-width and --detect are to find that out: give one or the other")
	}
	var pace samplesize.Pace
	switch {
	case c.IsSet("run") && c.IsSet("speed"):
		return aim, pace, errors.New("--speed and --run both say how fast the model is: give one of them")
	case c.IsSet("run"):
		known, headline, err := samplesize.PaceOf(c.String("run"))
		if err != nil {
			return aim, pace, err
		}
		pace, aim.Expected = known, headline.Value.Or(samplesize.WorstCase)
	case c.IsSet("speed"):
		var err error
		if pace.Prefill, pace.Decode, err = speedOf(c.String("speed")); err != nil {
			return aim, pace, err
		}
		pace.Source = "as given"
	}
	if c.IsSet("expect") {
		aim.Expected = c.Float64("expect")
	}
	if c.IsSet("output-tokens") {
		pace.OutputEach, pace.OutputSource = c.Float64("output-tokens"), "as given"
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

// sizeOf says how many questions of a task to ask.
func sizeOf(c *cli.Context, set *dataset.Set, task task.Task, aim samplesize.Aim) (samplesize.Size, error) {
	selection, err := selectionOf(c)
	if err != nil {
		return samplesize.Size{}, err
	}
	limit := selection.Limit
	selection.Limit, selection.First = 0, false
	if task.Subject != "" {
		selection.Subjects = []string{task.Subject}
	}
	questions, err := set.Select(selection)
	if err != nil {
		return samplesize.Size{}, err
	}
	return aim.Size(len(questions), limit)
}

// costOf counts what asking so many questions of a task takes.
func costOf(c *cli.Context, set *dataset.Set, task task.Task, questions, repeats int, count runner.Count) (runner.Cost, error) {
	eval, err := evalOf(c, task)
	if err != nil {
		return runner.Cost{}, err
	}
	selection, err := selectionOf(c)
	if err != nil {
		return runner.Cost{}, err
	}
	selection.Limit = questions
	plan, err := runner.NewPlan(set, eval, selection, runner.Settings{RuleSet: eval.Style.Rules, Repeats: repeats})
	if err != nil {
		return runner.Cost{}, err
	}
	return plan.Cost(count)
}

// counter counts tokens as the model does that --model names, or estimates them without one. release closes the model.
func (p program) counter(c *cli.Context) (count runner.Count, release func() error, err error) {
	if c.String("model") == "" {
		return runner.Estimate, func() error { return nil }, nil
	}
	options, err := p.modelOptions(c)
	if err != nil {
		return nil, nil, err
	}
	model, err := open.Reading(c.Context, options, false)
	if err != nil {
		return nil, nil, err
	}
	return runner.Counting(model), model.Close, nil
}
