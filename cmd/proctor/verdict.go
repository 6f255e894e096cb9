package main

import (
	"context"
	"errors"
	"fmt"

	"proctor/runner"
	"proctor/runner/stats"
	"proctor/runner/words"
)

// verdict is what the exit code is made of.
func (o runOptions) verdict(ctx context.Context, outcome runner.Outcome, goOn string) error {
	asked, score := outcome.Report.Completeness, outcome.Report.Headline
	lower := words.Undefined
	if !score.CI.IsZero() {
		lower = words.Percent(stats.Of(score.CI.Low))
	}
	switch {
	case errors.Is(context.Cause(ctx), errInterrupted):
		return fmt.Errorf("%w; to go on: %s", errInterrupted, goOn)
	case outcome.Err != nil:
		return fmt.Errorf("%w: %w; what was answered is kept; to go on: %s", errIncomplete, outcome.Err, goOn)
	case !asked.Complete:
		return fmt.Errorf("%w: %d items have no completion; to ask them again: %s", errIncomplete, asked.Lacks(), goOn)
	case o.failBelow != nil && (score.CI.IsZero() || score.CI.Low < *o.failBelow):
		return fmt.Errorf("%w: the lower bound of %s, %s, is below --fail-below %s", errGate, score.Name, lower,
			words.TypedShare(*o.failBelow))
	}
	return nil
}
