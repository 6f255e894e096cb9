// Package flags has the building blocks of the commands' flags: checks of values, flags that exclude each other, the
// layout of help, and hints for misspelt flags. It knows no command.
package flags

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
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
