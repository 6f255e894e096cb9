package flags

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/runner/mark/format"
)

// A Share is the value of a flag that takes a share of something or a difference of shares, both written in one way everywhere.
type Share struct {
	To    *float64
	Given **float64 // in the place of To: nil where the flag is not given
	Least Bound
	Most  Bound
}

// A Bound is a value that a flag's may reach, or, where it is open, not quite.
type Bound struct {
	at   float64
	open bool
}

// Open is a bound that the value must not reach.
func Open(at float64) Bound { return Bound{at, true} }

// OfShare is a flag for a share: 2% or 0.02.
func OfShare(flag cli.StringFlag, s Share) cli.Flag {
	return s.flag(flag, format.ParseShare, format.TypedShare)
}

// OfPoints is a flag for a difference of shares: 1pp, 1% or 0.01.
func OfPoints(flag cli.StringFlag, s Share) cli.Flag {
	return s.flag(flag, format.ParsePoints, format.TypedPoints)
}

func (s Share) flag(flag cli.StringFlag, parse func(string) (float64, error), typed func(float64) string) cli.Flag {
	if flag.DefaultText == "" && s.To != nil {
		flag.DefaultText = typed(*s.To)
	}
	flag.Action = func(_ *cli.Context, text string) error {
		x, err := parse(text)
		switch {
		case err != nil:
			return fmt.Errorf("--%s: %w", flag.Name, err)
		case x < s.Least.at || x == s.Least.at && s.Least.open:
			return fmt.Errorf("--%s %s: it must be %s", flag.Name, text, s.Least.above(typed))
		case s.Most.at > 0 && (x > s.Most.at || x == s.Most.at && s.Most.open):
			return fmt.Errorf("--%s %s: it must be %s", flag.Name, text, s.Most.below(typed))
		case s.Given != nil:
			*s.Given = &x
		default:
			*s.To = x
		}
		return nil
	}
	return &flag
}

func (b Bound) above(typed func(float64) string) string {
	if b.open {
		return "above " + typed(b.at)
	}
	return "at least " + typed(b.at)
}

func (b Bound) below(typed func(float64) string) string {
	if b.open {
		return "below " + typed(b.at)
	}
	return "at most " + typed(b.at)
}
