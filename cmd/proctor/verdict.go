package main

import (
	"context"
	"errors"
	"fmt"

	"proctor/runner/ask"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// verdict is what the exit code is made of.
func (o runOptions) verdict(ctx context.Context, outcome ask.Outcome, goOn string) error {
	asked, score := outcome.Report.Completeness, outcome.Report.Headline
	switch {
	case errors.Is(context.Cause(ctx), errInterrupted):
		return fmt.Errorf("%w; to go on: %s", errInterrupted, goOn)
	case outcome.Err != nil:
		return fmt.Errorf("%w: %w; what was answered is kept; to go on: %s", errIncomplete, outcome.Err, goOn)
	case !asked.Complete:
		return fmt.Errorf("%w: %d items have no completion; to ask them again: %s", errIncomplete, asked.Lacks(), goOn)
	case o.failBelow != nil && score.CI.IsZero():
		return fmt.Errorf("%w: %s has no lower bound to hold against --fail-below %s: %s questions; give a higher --limit", errGate,
			score.Name, format.TypedShare(*o.failBelow), format.TooFew)
	case o.failBelow != nil && score.CI.Low < *o.failBelow:
		return fmt.Errorf("%w: the lower bound of %s, %s, is below --fail-below %s", errGate, score.Name,
			format.Percent(stats.Of(score.CI.Low)), format.TypedShare(*o.failBelow))
	}
	return nil
}
