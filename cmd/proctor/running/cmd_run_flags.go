package running

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/words"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/like"
	"proctor/runner/ask/shard"
	"proctor/runner/mark/again"
	"proctor/runner/mark/pairs"
	"proctor/runner/report"
)

// maxRepeats is small enough that the repeats of all items have different seeds.
const maxRepeats = 1000

// cliFlags are the flags of the command.
func (o *runOptions) cliFlags(w *flags.Words) []cli.Flag {
	return slices.Concat(o.questionFlags(), o.effortFlags(w), o.shardFlags(w), o.modelFlags(), o.resultFlags(w), []cli.Flag{
		w.Text("like", &o.like),
		w.Read("again", func(list string) (err error) {
			if o.run.Again, err = again.Which(list); err != nil {
				err = fmt.Errorf("--again %w", err)
			}
			return err
		}),
		flags.Format(w, &o.format, report.Formats),
		w.Share("fail-below", flags.Share{Given: &o.failBelow}),
		w.Text("serve", &o.serve),
	}, o.config.Flags(w, ""))
}

// effortFlags say how much is asked: how often, and until when.
func (o *runOptions) effortFlags(w *flags.Words) []cli.Flag {
	decided := &o.settings.UntilDecided
	decided.Margin = pairs.DefaultMargin
	return []cli.Flag{
		w.Switch("keep-logprobs", &o.settings.KeepLogprobs),
		w.Points("until-half-width", flags.Share{To: &o.settings.UntilHalfWidth, Positive: true, Below: 0.5}),
		w.Text("until-decided", &decided.Run),
		w.Points("margin", flags.Share{To: &decided.Margin, Positive: true, Below: 1}),
	}
}

// shardFlags say which part of a run is asked here.
func (o *runOptions) shardFlags(w *flags.Words) []cli.Flag {
	return []cli.Flag{
		w.Read("shard", func(text string) error {
			read, err := shard.Parse(text, os.Getenv)
			if o.run.Shard = &read; err != nil {
				return fmt.Errorf("--shard %s: %w", text, err)
			}
			return nil
		}),
	}
}

func repeatsFlag(to *int) cli.Flag {
	*to = 1
	return words.Shared.Int("repeats", to,
		flags.Valid(func(n int) bool { return n >= 1 && n <= maxRepeats }, fmt.Sprintf("ask every item 1 to %d times", maxRepeats)))
}

// samplingFlags say how tokens are drawn and how many.
func samplingFlags(o *ask.Settings) []cli.Flag {
	w, s := words.Shared, &o.Sampling
	o.MaxTokens, s.TopP = 2048, 1
	return []cli.Flag{
		w.Int("max-tokens", &o.MaxTokens, flags.Valid(func(n int) bool { return n >= 1 }, "a completion needs at least 1 token")),
		w.Float("temperature", &s.Temperature, flags.Valid(func(t float64) bool { return t >= 0 }, "it cannot be negative")),
		w.Read("sampling", func(list string) error {
			if err := s.Set(list); err != nil {
				return fmt.Errorf("--sampling %w", err)
			}
			return nil
		}),
		w.Generic("stop", (*flags.Texts)(&o.Stop), nil),
	}
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
	notes, err := like.Draw(o.like, set, &o.Selection, o.run.Flags, named)
	if err != nil {
		return err
	}
	for _, note := range notes {
		p.Note("proctor: " + note)
	}
	o.run.Notes = notes
	return nil
}

// thinking has a run that goes on end its thinking where it did, and leaves a cap that was given a cap on all tokens.
func (o *runOptions) thinking() {
	if o.settings.Thinking.Free = o.run.Flags["max-tokens"] != nil; o.Begun.Kind != "" && o.run.Flags["think-budget"] == nil {
		o.settings.Thinking.Tokens, o.settings.Thinking.Free = o.Begun.Budgets, true
	}
}

// ofGenerated are run's flags that say how completions are generated, which a direct run has none of.
var ofGenerated = []string{"max-tokens", "think-budget", "stop", "temperature", "sampling"}

// checkDirect refuses what a direct run cannot be asked of, and flags that say nothing of one.
func (o runOptions) checkDirect(evals []prompts.Eval) error {
	isDirect := func(e prompts.Eval) bool { return e.Task.Direct }
	if slices.ContainsFunc(evals, isDirect) && o.model.Served() {
		return fmt.Errorf("--direct asks how likely every letter is, and the server of %s tells the likeliest tokens at most: give a GGUF "+
			"file, or --in-process with ollama:NAME", o.model.Ref)
	}
	if slices.ContainsFunc(evals, func(e prompts.Eval) bool { return !isDirect(e) }) {
		return nil
	}
	for _, flag := range ofGenerated {
		if o.run.Flags[flag] != nil {
			return fmt.Errorf("--%s is of what is generated: a direct run generates nothing, so leave it out", flag)
		}
	}
	if think := o.run.Form.Think; think != nil && *think {
		return errors.New("--think on: a direct run has the letter before any thinking, so leave it out")
	}
	return nil
}
