// Package flags has the building blocks of the commands' flags: checks of values, flags that exclude each other, the
// layout of help, and hints for misspelt flags. It knows no command.
package flags

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"proctor/runner/mark/format"
)

// OneAs uses a command's only argument as the value of a flag.
func OneAs(flag string, c *cli.Context) error {
	switch {
	case c.NArg() > 1 || c.NArg() == 1 && c.IsSet(flag):
		return fmt.Errorf("%s takes one --%s, or it as the argument, not %q beside it", c.Command.Name, flag, c.Args().Slice())
	case c.NArg() == 1:
		return c.Set(flag, c.Args().First())
	}
	return nil
}

// One is the action of a command with one argument; needs describes that argument if there is none or more than one.
func One(needs string, act func(c *cli.Context, argument string) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.NArg() != 1 {
			return errors.New(needs)
		}
		return act(c, c.Args().First())
	}
}

// Only is the action of a command without arguments.
func Only(act cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Args().Present() {
			return fmt.Errorf("%s takes flags only, not %q: `proctor %s --help` lists them",
				c.Command.Name, c.Args().First(), c.Command.Name)
		}
		return act(c)
	}
}

// Texts are the values of a flag that can be given several times; not nil if it was given.
type Texts []string

func (t *Texts) String() string { return "" }

func (t *Texts) Set(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("not UTF-8")
	}
	if *t == nil {
		*t = Texts{}
	}
	if text != "" {
		*t = append(*t, text)
	}
	return nil
}

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
