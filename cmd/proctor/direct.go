package main

import (
	"errors"
	"fmt"
	"slices"

	"proctor/prompts"
)

// ofGenerated are run's flags that say how completions are generated, which a direct run has none of.
var ofGenerated = []string{"max-tokens", "stop-at-answer", "stop", "temperature", "top-k", "top-p", "min-p", "repeat-penalty",
	"presence-penalty", "frequency-penalty"}

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
		if o.flags[flag] != nil {
			return fmt.Errorf("--%s is of what is generated: a direct run generates nothing, so leave it out", flag)
		}
	}
	if think := o.form.Think; think != nil && *think {
		return errors.New("--think on: a direct run has the letter before any thinking, so leave it out")
	}
	return nil
}
