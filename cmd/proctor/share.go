package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/runner/mark/format"
)

// A share is the value of a flag that takes a share of something or a difference of shares, both written in one way everywhere.
type share struct {
	to    *float64
	given **float64 // in the place of to: nil where the flag is not given
	least bound
	most  bound
}

// A bound is a value that a flag's may reach, or, where it is open, not quite.
type bound struct {
	at   float64
	open bool
}

// shareFlag is a flag for a share: 2% or 0.02.
func shareFlag(flag cli.StringFlag, s share) cli.Flag {
	return s.flag(flag, format.ParseShare, format.TypedShare)
}

// pointsFlag is a flag for a difference of shares: 1pp, 1% or 0.01.
func pointsFlag(flag cli.StringFlag, s share) cli.Flag {
	return s.flag(flag, format.ParsePoints, format.TypedPoints)
}

func (s share) flag(flag cli.StringFlag, parse func(string) (float64, error), typed func(float64) string) cli.Flag {
	if flag.DefaultText == "" && s.to != nil {
		flag.DefaultText = typed(*s.to)
	}
	flag.Action = func(_ *cli.Context, text string) error {
		x, err := parse(text)
		switch {
		case err != nil:
			return fmt.Errorf("--%s: %w", flag.Name, err)
		case x < s.least.at || x == s.least.at && s.least.open:
			return fmt.Errorf("--%s %s: it must be %s", flag.Name, text, s.least.above(typed))
		case s.most.at > 0 && (x > s.most.at || x == s.most.at && s.most.open):
			return fmt.Errorf("--%s %s: it must be %s", flag.Name, text, s.most.below(typed))
		case s.given != nil:
			*s.given = &x
		default:
			*s.to = x
		}
		return nil
	}
	return &flag
}

func (b bound) above(typed func(float64) string) string {
	if b.open {
		return "above " + typed(b.at)
	}
	return "at least " + typed(b.at)
}

func (b bound) below(typed func(float64) string) string {
	if b.open {
		return "below " + typed(b.at)
	}
	return "at most " + typed(b.at)
}
