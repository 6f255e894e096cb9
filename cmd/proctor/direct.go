package main

import (
	"fmt"

	"proctor/prompts"
)

// ofGenerated are run's flags that say how completions are generated, which a direct run has none of.
var ofGenerated = []string{"max-tokens", "stop-at-answer", "stop", "temperature", "top-k", "top-p", "min-p", "repeat-penalty",
	"presence-penalty", "frequency-penalty"}

// checkDirect refuses flags that say nothing of a direct run.
func (o runOptions) checkDirect(evals []prompts.Eval) error {
	for _, eval := range evals {
		if !eval.Task.Direct {
			return nil
		}
	}
	for _, flag := range ofGenerated {
		if o.flags[flag] != nil {
			return fmt.Errorf("--%s is of what is generated: a direct run generates nothing, so leave it out", flag)
		}
	}
	if think := o.form.Think; think != nil && *think {
		return fmt.Errorf("--think on: a direct run has the letter before any thinking, so leave it out")
	}
	return nil
}
