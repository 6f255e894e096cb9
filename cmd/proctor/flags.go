package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/urfave/cli/v2"

	"proctor/runner/mark/grade"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// Each command has options, which its flags fill as the command line is parsed. What a flag's value has to be is said beside
// the flag, with valid; what flags have to do with each other in the command's conflicts.

// valid checks the value of a flag that is given.
func valid[T any](name string, ok func(T) bool, why string) func(*cli.Context, T) error {
	return func(_ *cli.Context, value T) error {
		if !ok(value) {
			return fmt.Errorf("--%s %v: %s", name, value, why)
		}
		return nil
	}
}

// given keeps the value of a flag that is given; where it is not, the pointer stays nil.
func given[T any](to **T) func(*cli.Context, T) error {
	return func(_ *cli.Context, value T) error {
		*to = &value
		return nil
	}
}

// A conflict is what a flag does not go with.
type conflict struct {
	flag string
	when func(given func(flag string) bool) bool
	why  string
}

// with holds where one of the other flags is given.
func with(others ...string) func(func(string) bool) bool {
	return func(given func(string) bool) bool {
		for _, name := range others {
			if given(name) {
				return true
			}
		}
		return false
	}
}

// without holds where none of the other flags is given.
func without(others ...string) func(func(string) bool) bool {
	return func(given func(string) bool) bool { return !with(others...)(given) }
}

// refusing looks for conflicts before a command begins.
func refusing(conflicts ...conflict) cli.BeforeFunc {
	return func(c *cli.Context) error {
		for _, each := range conflicts {
			if c.IsSet(each.flag) && each.when(c.IsSet) {
				return fmt.Errorf("%s", each.why)
			}
		}
		return nil
	}
}

// flagsOnly is the action of a command that takes no arguments.
func flagsOnly(act cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Args().Present() {
			return fmt.Errorf("%s takes flags only, not %q: `proctor %s --help` lists them",
				c.Command.Name, c.Args().First(), c.Command.Name)
		}
		return act(c)
	}
}

func jsonFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "json", Destination: to, Usage: "as JSON"}
}

// formatFlag chooses one of a thing's formats.
func formatFlag[T any](to *page.Format[T], thing string, formats page.Formats[T]) cli.Flag {
	*to = formats[0]
	return &cli.StringFlag{
		Name: "format", Value: formats[0].Name, Usage: "`FORMAT` of the " + thing + ": " + formats.Names(), Category: "RESULT",
		Action: func(_ *cli.Context, name string) (err error) {
			*to, err = formats.Named(name)
			return err
		},
	}
}

func fullFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{
		Name: "full", Destination: to, Category: "RESULT",
		Usage: "everything, in text and markdown too: how it was run, every figure, rule sets, letters, numbers of options, costs",
	}
}

// namedFlag is formatFlag where the file of -o can say the format by its name.
func namedFlag[T any](to *string, thing string, formats page.Formats[T]) cli.Flag {
	return &cli.StringFlag{
		Name: "format", DefaultText: byName(formats), Destination: to, Category: "RESULT",
		Usage: "`FORMAT` of the " + thing + ": " + formats.Names(),
	}
}

// byName says which format holds where none is given.
func byName[T any](formats page.Formats[T]) string {
	return formats[0].Name + ", or by the ending of -o's file"
}

func rulesFlag(to *string, otherwise string) cli.Flag {
	return &cli.StringFlag{
		Name: "rules", Destination: to, Category: "RESULT",
		Usage: "mark with rule `SET`: " + grade.Names(grade.Sets()) + ", or a file of patterns, see report --help " +
			"(default: " + otherwise + ")",
		Action: func(c *cli.Context, ref string) (err error) {
			if *to, err = ruleSet(ref); errors.Is(err, fs.ErrNotExist) && c.Bool("resume") {
				return nil // a run that goes on has its rules in its journal
			}
			return err
		},
	}
}

func confidenceFlag(to *float64) cli.Flag {
	*to = stats.DefaultConfidence
	return shareFlag(cli.StringFlag{Name: "confidence", Usage: "confidence `LEVEL` of the intervals, as in 99%"},
		share{to: to, least: bound{0, true}, most: bound{1, true}})
}

// A result is written as --format or the name of -o's file says, to where -o says.
type result[T any] struct {
	formats page.Formats[T]
	format  string
	out     string
}

func (r *result[T]) flags(thing string, formats page.Formats[T]) []cli.Flag {
	r.formats = formats
	return []cli.Flag{namedFlag(&r.format, thing, formats), outputFlag(&r.out)}
}

func (r *result[T]) deliver(p *program, what T) error {
	format, err := r.formats.Of(r.format, r.out)
	if err != nil {
		return err
	}
	return p.deliverBy(r.out, func(w io.Writer) error { return format.Write(w, what) })
}

func outputFlag(to *string) cli.Flag {
	return &cli.StringFlag{Name: "o", Destination: to, Usage: "write to `FILE` instead of standard output"}
}
