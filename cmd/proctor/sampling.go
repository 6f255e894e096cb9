package main

import (
	"github.com/urfave/cli/v2"

	"proctor/backends"
)

// penaltyFlags say what a token costs that stands among the last ones already.
func penaltyFlags(o *backends.Sampling) []cli.Flag {
	return []cli.Flag{
		penaltyFlag("repeat-penalty", &o.RepeatPenalty, "divide the score of a token among the last 64 by `X`, as in 1.1; 1 is none",
			func(x float64) bool { return x > 0 && x <= 10 }, "it must be above 0 and at most 10; 1 is none"),
		penaltyFlag("presence-penalty", &o.PresencePenalty, "lessen the score of a token among the last 64 by `X`",
			withinTwo, "it must lie between -2 and 2; 0 is none"),
		penaltyFlag("frequency-penalty", &o.FrequencyPenalty, "lessen it by `X` for each time that it is among them",
			withinTwo, "it must lie between -2 and 2; 0 is none"),
	}
}

func penaltyFlag(name string, to *float64, usage string, ok func(float64) bool, why string) cli.Flag {
	return &cli.Float64Flag{
		Name: name, DefaultText: "none", Destination: to, Usage: usage, Category: "SAMPLING", Action: valid(name, ok, why),
	}
}

func withinTwo(x float64) bool { return x >= -2 && x <= 2 }
