package flags

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/runner/mark/format"
)

// A Share is the value of a flag for a share, or for a difference of shares; all are written in the same way.
type Share struct {
	To       *float64
	Given    **float64 // used instead of To: nil if the flag is not given
	Positive bool      // above 0; else at least 0
	Below    float64   // 0 for no bound
}

// Share is a flag for a share: 2% or 0.02.
func (w *Words) Share(name string, s Share) cli.Flag {
	return s.flag(w, name, format.ParseShare, format.TypedShare)
}

// Points is a flag for a difference of shares: 1pp, 1% or 0.01.
func (w *Words) Points(name string, s Share) cli.Flag {
	return s.flag(w, name, format.ParsePoints, format.TypedPoints)
}

func (s Share) flag(w *Words, name string, parse func(string) (float64, error), typed func(float64) string) cli.Flag {
	flag := w.Read(name, func(text string) error {
		x, err := parse(text)
		bound := ""
		switch {
		case err != nil:
			return fmt.Errorf("--%s: %w", name, err)
		case s.Positive && x <= 0:
			bound = "above " + typed(0)
		case x < 0:
			bound = "at least " + typed(0)
		case s.Below > 0 && x >= s.Below:
			bound = "below " + typed(s.Below)
		case s.Given != nil:
			*s.Given = &x
		default:
			*s.To = x
		}
		if bound != "" {
			return fmt.Errorf("--%s %s: it must be %s", name, text, bound)
		}
		return nil
	})
	if flag.DefaultText == "" && s.To != nil {
		flag.DefaultText = typed(*s.To)
	}
	return flag
}
