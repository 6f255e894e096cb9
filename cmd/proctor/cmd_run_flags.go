package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
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
		w.Read("again", func(list string) (err error) {
			if o.run.Again, err = again.Which(list); err != nil {
				err = fmt.Errorf("--again %w", err)
			}
			return err
		}),
		flags.Format(w, &o.format, report.Formats),
		w.Share("fail-below", flags.Share{Given: &o.failBelow}),
		w.Text("serve", &o.serve),
		w.Switch("show-prompt", &o.showPrompt),
	}, o.config.Flags(w, ""))
}

// effortFlags say how much is asked: how often, and until when.
func (o *runOptions) effortFlags(w *flags.Words) []cli.Flag {
	decided := &o.settings.UntilDecided
	decided.Margin = pairs.DefaultMargin
	return []cli.Flag{
		w.Switch("keep-logprobs", &o.settings.KeepLogprobs),
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
		w.Read("date", func(text string) (err error) {
			if o.run.Form.Now, err = time.Parse(time.DateOnly, text); err != nil {
				return fmt.Errorf("--date %s: give a day, as in 2026-11-22", text)
			}
			return nil
		}),
	}
}

func repeatsFlag(to *int) cli.Flag {
	*to = 1
	return console.SharedWords.Int("repeats", to,
		flags.Valid(func(n int) bool { return n >= 1 && n <= maxRepeats }, fmt.Sprintf("ask every item 1 to %d times", maxRepeats)))
}

// samplingFlags say how tokens are drawn and how many.
func samplingFlags(o *ask.Settings) []cli.Flag {
	w, s := console.SharedWords, &o.Sampling
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
		w.Choice("loops", []string{"end", "go-on"}, func(choice string) { o.EndLoops = choice == "end" }),
		w.Generic("stop", (*flags.Texts)(&o.Stop), nil),
	}
}

// drawAs has a run that is held against another draw the questions of that one, as far as no flag says otherwise, and adds what it takes
// to the run's flags. A run that goes on has them from its journal.
func (o *runOptions) drawAs(set *dataset.Set) error {
	against, now := o.settings.UntilDecided, &o.Selection
	if against.Run == "" || o.Begun.Kind != "" {
		return nil
	}
	begun, err := against.Begun()
	if err != nil {
		return err
	}
	tasks, err := task.Parse(o.Tasks, set.Subjects())
	if err != nil {
		return err
	}
	was := begun.Selection
	if slices.ContainsFunc(tasks, func(t task.Task) bool { return t.Subject != "" }) {
		was.Subjects = nil // the tasks name their own
	}
	takes := func(flag, value string) bool {
		if o.run.Flags[flag] != nil {
			return false
		}
		if value != "" {
			o.run.Flags[flag] = []string{value}
		}
		return true
	}
	if len(was.Chosen) > 0 {
		if takes("ids", strings.Join(was.Chosen, ",")) {
			now.Chosen, now.Subjects = was.Chosen, was.Subjects
		}
		return nil
	}
	if takes("subjects", strings.Join(was.Subjects, ",")) {
		now.Subjects = was.Subjects
	}
	if takes("seed", strconv.FormatUint(was.Seed, 10)) {
		now.Seed = was.Seed
	}
	now.First = now.First || was.First && takes("first", "true")
	if was.Limit == 0 {
		return nil
	}
	if typed := begun.Flags["limit"]; takes("limit", cmp.Or(strings.Join(typed, ""), strconv.Itoa(was.Limit))) {
		if now.Limit, now.PerSubject, now.Share = was.Limit, was.PerSubject, was.Share; now.BySubject() {
			now.Limit = 0 // in a header it counts them
		}
	}
	return nil
}

// thinking has a run that goes on end its thinking where it did, and leaves a cap that was given a cap on all tokens.
func (o *runOptions) thinking() {
	if o.settings.Thinking.Free = o.run.Flags["max-tokens"] != nil; o.Begun.Kind != "" && o.run.Flags["think-budget"] == nil {
		o.settings.Thinking.Tokens, o.settings.Thinking.Free = o.Begun.Budgets, true
	}
}

// ofGenerated are run's flags that say how completions are generated, which a direct run has none of.
var ofGenerated = []string{"max-tokens", "think-budget", "stop", "loops", "temperature", "sampling"}

// checkDirect refuses what a direct run cannot be asked of, and flags that say nothing of one.
func (o runOptions) checkDirect(evals []prompts.Eval) error {
	isDirect := func(e prompts.Eval) bool { return e.Task.Direct }
	if slices.ContainsFunc(evals, isDirect) && o.model.Served() {
		return fmt.Errorf("--direct asks how likely every letter is, and the server of %s tells the likeliest tokens at most: give a GGUF file",
			o.model.Ref)
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
