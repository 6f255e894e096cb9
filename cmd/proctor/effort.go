package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/runner"
	"proctor/runner/journal"
)

// maxRepeats is more than anybody asks for, and few enough for every item's repeats to have seeds of their own.
const maxRepeats = 1000

// effortFlags say how much is asked: how often, and until when.
func effortFlags() []cli.Flag {
	return []cli.Flag{
		repeatsFlag(),
		&cli.Float64Flag{Name: "until-half-width", DefaultText: "ask all", Usage: "stop once the headline's 95 % interval is no wider than ± `X`, as in 0.02: asks batches drawn evenly from the subjects, at least 200 items, at most --limit questions", Category: "EXAM"},
	}
}

func repeatsFlag() cli.Flag {
	return &cli.IntFlag{Name: "repeats", Value: 1, Usage: "ask every item `K` times, each with a sampling seed of its own; at --temperature 0 that measures the noise floor", Category: "EXAM"}
}

func repeatsOf(c *cli.Context) (int, error) {
	repeats := c.Int("repeats")
	if repeats < 1 || repeats > maxRepeats {
		return 0, fmt.Errorf("--repeats %d: ask every item 1 to %d times", repeats, maxRepeats)
	}
	return repeats, nil
}

// effortOf reads how much is asked into the settings.
func effortOf(c *cli.Context, settings *runner.Settings) error {
	repeats, err := repeatsOf(c)
	if err != nil {
		return err
	}
	if repeats > 1 { // a header without the field says once
		settings.Repeats = repeats
	}
	if !c.IsSet("until-half-width") {
		return nil
	}
	target := c.Float64("until-half-width")
	if !(target > 0 && target < 0.5) {
		return fmt.Errorf("--until-half-width %g: give a share above 0 and below 0.5; 0.02 is two percentage points", target)
	}
	if c.Bool("first") {
		return fmt.Errorf("--first does not go with --until-half-width, which draws its questions from all subjects")
	}
	settings.UntilHalfWidth = target
	return nil
}

// interim tells a person how far the interval of a run that stops by itself has come.
func (p program) interim(target float64) func(*journal.Look) {
	return func(look *journal.Look) {
		width, value := "no interval yet", ""
		if look.HalfWidth != nil && look.Value != nil {
			value = fmt.Sprintf(" %.4f", *look.Value)
			width = fmt.Sprintf("± %.4f of ± %g", *look.HalfWidth, target)
		}
		fmt.Fprintf(p.stderr, "look %d: %d questions, %s%s, %s\n", look.Number, look.Questions, look.Headline, value, width)
	}
}
