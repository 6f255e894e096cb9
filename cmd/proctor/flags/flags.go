// Package flags is what the commands' flags are made of: checks of values, flags that exclude each other, the layout of help, the
// man page, shell completion, and hints for what was misspelt. It knows no command.
package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// Each command has options, which its flags fill while the command line is parsed. Valid checks the value of one flag, and the
// command's refusals check flags against each other.

// Valid checks the value of a flag that is given.
func Valid[T any](name string, ok func(T) bool, why string) func(*cli.Context, T) error {
	return func(_ *cli.Context, value T) error {
		if !ok(value) {
			return fmt.Errorf("--%s %v: %s", name, value, why)
		}
		return nil
	}
}

// Given keeps the value of a flag that is given; where it is not, the pointer stays nil.
func Given[T any](to **T) func(*cli.Context, T) error {
	return func(_ *cli.Context, value T) error {
		*to = &value
		return nil
	}
}

// OneAs has a command's only argument stand for a flag.
func OneAs(flag string, c *cli.Context) error {
	switch {
	case c.NArg() > 1 || c.NArg() == 1 && c.IsSet(flag):
		return fmt.Errorf("%s takes one --%s, or it as the argument, not %q beside it", c.Command.Name, flag, c.Args().Slice())
	case c.NArg() == 1:
		return c.Set(flag, c.Args().First())
	}
	return nil
}

// Only is the action of a command that takes no arguments.
func Only(act cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Args().Present() {
			return fmt.Errorf("%s takes flags only, not %q: `proctor %s --help` lists them",
				c.Command.Name, c.Args().First(), c.Command.Name)
		}
		return act(c)
	}
}

// Switch is a flag without a value.
func Switch(to *bool, name, category, usage string) cli.Flag {
	return &cli.BoolFlag{Name: name, Destination: to, Category: category, Usage: usage}
}

// Text is a flag whose value is a text. otherwise is the default that help shows, unless usage has it.
func Text(to *string, name, category, otherwise, usage string) cli.Flag {
	return &cli.StringFlag{Name: name, Destination: to, Category: category, DefaultText: otherwise, Usage: usage}
}

// Read is [Text] for a value that is read.
func Read(name, category, otherwise, usage string, read func(text string) error) cli.Flag {
	return &cli.StringFlag{
		Name: name, Category: category, DefaultText: otherwise, Usage: usage,
		Action: func(_ *cli.Context, text string) error { return read(text) },
	}
}

// Words is [Text] for a list with commas between.
func Words(to *[]string, name, category, otherwise, usage string) cli.Flag {
	return Read(name, category, otherwise, usage, func(list string) error {
		*to = strings.Split(list, ",")
		return nil
	})
}

// Choice is a flag with one of several words for a value, of which the first holds where it is not given. set gets the word.
func Choice(name, category, usage string, words []string, set func(word string)) cli.Flag {
	set(words[0])
	return &cli.StringFlag{
		Name: name, Value: words[0], Category: category, Usage: usage,
		Action: func(_ *cli.Context, word string) error {
			if !slices.Contains(words, word) {
				return fmt.Errorf("--%s %s: there are %s", name, word, english.WordSeries(words, "and"))
			}
			set(word)
			return nil
		},
	}
}

// Quiet shows nothing but errors.
func Quiet(to *bool) cli.Flag {
	return &cli.BoolFlag{
		Name: "quiet", Aliases: []string{"q"}, Destination: to, Category: "RESULT",
		Usage: "show errors only: no progress, notes or warnings",
	}
}

// JSON has a result written as JSON.
func JSON(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "json", Destination: to, Usage: "print JSON"}
}

// Format chooses one of a thing's formats.
func Format[T any](to *page.Format[T], thing string, formats page.Formats[T]) cli.Flag {
	*to = formats[0]
	return &cli.StringFlag{
		Name: "format", Value: formats[0].Name, Usage: "`FORMAT` of the " + thing + ": " + formats.Names(), Category: "RESULT",
		Action: func(_ *cli.Context, name string) (err error) {
			*to, err = formats.Named(name)
			return err
		},
	}
}

// Full has everything reported.
func Full(to *bool) cli.Flag {
	return &cli.BoolFlag{
		Name: "full", Destination: to, Category: "RESULT",
		Usage: "show everything; text and markdown are short by default",
	}
}

// Named is Format where the file of -o can say the format by its name.
func Named[T any](to *string, thing string, formats page.Formats[T]) cli.Flag {
	return &cli.StringFlag{
		Name: "format", DefaultText: ByName(formats), Destination: to, Category: "RESULT",
		Usage: "`FORMAT` of the " + thing + ": " + formats.Names(),
	}
}

// ByName says which format holds where none is given.
func ByName[T any](formats page.Formats[T]) string {
	return formats[0].Name + ", or by the ending of -o's file"
}

// Confidence is the level of intervals.
func Confidence(to *float64) cli.Flag {
	*to = stats.DefaultConfidence
	return OfShare(cli.StringFlag{Name: "confidence", Usage: "confidence `LEVEL` of the intervals, as in 99%"},
		Share{To: to, Least: Open(0), Most: Open(1)})
}

// Output is the file that a result is written to.
func Output(to *string) cli.Flag {
	return &cli.StringFlag{Name: "o", Destination: to, Usage: "write to `FILE` instead of standard output"}
}

// Auto is what flags call the choice that depends on the model.
const Auto = "auto"

// NumberOrAuto reads a flag that is a number from 1, or auto, which is 0 here.
func NumberOrAuto(name string, to *int) func(*cli.Context, string) error {
	return func(_ *cli.Context, text string) error {
		if text == Auto {
			return nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("--%s %s: give a number from 1, or auto", name, text)
		}
		*to = n
		return nil
	}
}

// But are the flags without those of some names.
func But(flags []cli.Flag, names ...string) []cli.Flag {
	return slices.DeleteFunc(flags, func(f cli.Flag) bool { return slices.Contains(names, f.Names()[0]) })
}

// Stop reads stop strings, one for each time that it is given.
func Stop(to *[]string) cli.Flag {
	return &cli.GenericFlag{
		Name: "stop", Value: (*Texts)(to), Category: "QUESTIONS",
		Usage: "end completions before `TEXT`, instead of the style's stop strings; repeatable, \"\" for none",
	}
}

// Texts are the values of a flag that can be given several times; not nil once it was.
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
