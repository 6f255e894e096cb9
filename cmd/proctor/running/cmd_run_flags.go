package running

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask/form"
	"proctor/runner/ask/like"
	"proctor/runner/ask/shard"
	"proctor/runner/ask/stopping"
	"proctor/runner/mark/again"
	"proctor/runner/mark/pairs"
)

// penaltyFlags say what a token costs that stands among the last ones already.
func penaltyFlags(o *backends.Sampling) []cli.Flag {
	return []cli.Flag{
		penaltyFlag("repeat-penalty", &o.RepeatPenalty, "divide the logit of tokens among the last 64 by `X`, as in 1.1; 1 is none",
			func(x float64) bool { return x > 0 && x <= 10 }, "it must be above 0 and at most 10; 1 is none"),
		penaltyFlag("presence-penalty", &o.PresencePenalty, "subtract `X` from the logit of tokens among the last 64",
			withinTwo, "it must lie between -2 and 2; 0 is none"),
		penaltyFlag("frequency-penalty", &o.FrequencyPenalty, "subtract `X` from a token's logit per occurrence among the last 64",
			withinTwo, "it must lie between -2 and 2; 0 is none"),
	}
}

func penaltyFlag(name string, to *float64, usage string, ok func(float64) bool, why string) cli.Flag {
	return &cli.Float64Flag{
		Name: name, DefaultText: "none", Destination: to, Usage: usage, Category: "SAMPLING", Action: flags.Valid(name, ok, why),
	}
}

func withinTwo(x float64) bool { return x >= -2 && x <= 2 }

// decidedFlags say when a run that is compared with another one stops.
func decidedFlags(to *stopping.Until) []cli.Flag {
	to.Margin = pairs.DefaultMargin
	return []cli.Flag{
		flags.Text(&to.Run, "until-decided", "QUESTIONS", "",
			"stop once this model is shown to be better or worse than `RUN`, or not worse by --margin"),
		flags.OfPoints(cli.StringFlag{
			Name: "margin", Category: "QUESTIONS",
			Usage: "with --until-decided: a loss of up to `POINTS` counts as not worse, as in 2pp",
		}, flags.Share{To: &to.Margin, Least: flags.Open(0), Most: flags.Open(1)}),
		flags.Switch(&to.InProportion, "in-proportion", "QUESTIONS",
			"with --until-decided: ask all subjects in proportion, even if RUN's log-probabilities show which answers may flip"),
	}
}

func againFlag(to *[]string) cli.Flag {
	const usage = "with --resume and a larger --max-tokens: ask the items in `LIST` again: LENGTH (cut by the cap), NO_ANSWER"
	return flags.Read("again", "RESULT", "", usage, func(list string) (err error) {
		if *to, err = again.Which(list); err != nil {
			err = fmt.Errorf("--again %w", err)
		}
		return err
	})
}

// beginAs has the selection begin with the questions of the run that --like names. A run that goes on keeps those of its journal.
func beginAs(p *console.Program, o *runOptions, set *dataset.Set) error {
	if against := o.settings.UntilDecided; against.Run != "" && o.Begun.Kind == "" {
		if _, err := against.Begun(); err != nil {
			return err
		}
		o.like = against.Run
	}
	if o.like == "" {
		o.Selection.Like = o.Begun.Like
		return nil
	}
	tasks, err := task.Parse(o.Tasks, set.Subjects())
	if err != nil {
		return err
	}
	named := slices.ContainsFunc(tasks, func(t task.Task) bool { return t.Subject != "" })
	notes, err := like.Draw(o.like, set, &o.Selection, o.flags, named)
	if err != nil {
		return err
	}
	for _, note := range notes {
		p.Note("proctor: " + note)
	}
	o.notes = notes
	return nil
}

// shardFlags say which part of a run is asked here.
func shardFlags(part **shard.Part, to *form.Form) []cli.Flag {
	const category = "QUESTIONS"
	return []cli.Flag{
		flags.Read("shard", category, "the whole run",
			"ask part `I/N` of the questions, or auto under Slurm and Kubernetes; merge joins them", func(text string) error {
				read, err := shard.Parse(text, os.Getenv)
				if *part = &read; err != nil {
					return fmt.Errorf("--shard %s: %w", text, err)
				}
				return nil
			}),
		flags.Read("date", category, "the run's first",
			"`DATE` for chat templates that print one, as in 2026-11-22", func(text string) (err error) {
				to.Now, err = time.Parse(time.DateOnly, text)
				return flags.Valid("date", func(string) bool { return err == nil }, "give a day, as in 2026-11-22")(nil, text)
			}),
	}
}

// thinking has a run that goes on end its thinking where it did, and leaves a cap that was given a cap on all tokens.
func (o *runOptions) thinking() {
	if o.settings.Thinking.Free = o.flags["max-tokens"] != nil; o.Begun.Kind != "" && o.flags["think-budget"] == nil {
		o.settings.Thinking.Tokens, o.settings.Thinking.Free = o.Begun.Budgets, true
	}
}

// ofGenerated are run's flags that say how completions are generated, which a direct run has none of.
var ofGenerated = []string{"max-tokens", "think-budget", "think-close", "stop-at-answer", "stop", "temperature", "top-k", "top-p", "min-p",
	"repeat-penalty", "presence-penalty", "frequency-penalty"}

// checkDirect refuses what a direct run cannot be asked of, and flags that say nothing of one.
func (o runOptions) checkDirect(evals []prompts.Eval) error {
	isDirect := func(e prompts.Eval) bool { return e.Task.Direct }
	if slices.ContainsFunc(evals, isDirect) && o.model.Served() {
		return fmt.Errorf("--direct asks how likely every letter is, and the server of %s tells the likeliest tokens at most: give a GGUF "+
			"file, or --in-process with ollama:NAME", o.model.Ref)
	}
	if slices.ContainsFunc(evals, isDirect) && o.settings.ShotsFit {
		return errors.New("--shots-fit is for examples with reasoning: a direct run's are short, so leave it out")
	}
	if slices.ContainsFunc(evals, func(e prompts.Eval) bool { return !isDirect(e) }) {
		return nil
	}
	for _, flag := range ofGenerated {
		if o.flags[flag] != nil {
			return fmt.Errorf("--%s is of what is generated: a direct run generates nothing, so leave it out", flag)
		}
	}
	if think := o.form.Think; think != nil && *think {
		return errors.New("--think on: a direct run has the letter before any thinking, so leave it out")
	}
	return nil
}
