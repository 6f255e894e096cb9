package flags

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/tools/txtar"

	"proctor/runner/ask/spec"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// Words are the help texts of a command and its flags. Each command has a text:
//
//	run [MODEL]
//	ask a model every question
//
//	Without flags it runs the embedded model.
//	-- more --
//	What --help-all shows behind that.
//	-- short --
//	tasks limit
//	-- QUESTIONS --
//	tasks, task: `LIST` of tasks
//	limit [all]: ask `N` questions
//	-- command list --
//	what the command list below it does
//
// A flag has its names, its default unless its value shows it, and its usage, whose further lines are indented. Flags without a category
// stand below "-- flags --". For many flags, those below "-- short --" are shown by --help: with headings, as in "HOW MUCH: limit seed", in
// groups of their own, each with the first part of its usage, which a semicolon ends.
type Words struct {
	name, arguments, usage, description, short string

	flags  map[string]word
	below  map[string]*Words
	shared *Words // has the flags missing here

	refused []refusal
}

// A word is the help text of a flag.
type word struct {
	name                       string
	aliases                    []string
	category, otherwise, usage string
}

var flagLine = regexp.MustCompile(`^([\w-]+(?:, [\w-]+)*)(?: \[(.*?)\])?: (.*)$`)

// ParseWords parses the words of a command. It panics if they are malformed: they are part of the program.
func ParseWords(text string, shared *Words) *Words {
	archive := txtar.Parse([]byte(text))
	whole := headed(string(archive.Comment), shared)
	to := whole
	for _, section := range archive.Files {
		name, is := strings.CutPrefix(section.Name, "command ")
		switch {
		case is:
			to = headed(name+"\n"+string(section.Data), shared)
			whole.below[to.name] = to
		case section.Name == "more":
			to.description += More + string(section.Data)
		case section.Name == "short":
			to.short = string(section.Data)
		case section.Name == "refused":
			to.refuse(string(section.Data))
		default:
			to.add(section.Name, string(section.Data))
		}
	}
	return whole
}

func headed(text string, shared *Words) *Words {
	called, text, _ := strings.Cut(text, "\n")
	usage, description, _ := strings.Cut(text, "\n")
	name, arguments, _ := strings.Cut(called, " ")
	return &Words{name: name, arguments: arguments, usage: usage, description: strings.TrimPrefix(description, "\n"),
		flags: map[string]word{}, below: map[string]*Words{}, shared: shared}
}

func (w *Words) add(category, lines string) {
	if category == "flags" {
		category = ""
	}
	for line := range entries(lines) {
		m := flagLine.FindStringSubmatch(line)
		names := strings.Split(m[1], ", ")
		w.flags[names[0]] = word{names[0], names[1:], category, m[2], m[3]}
	}
}

// entries are lines, each with the indented ones after it.
func entries(lines string) iter.Seq[string] {
	return strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(lines, "\n   ", " "), "\n"), "\n")
}

// of is the help text of a flag.
func (w *Words) of(flag string) word {
	for ; w != nil; w = w.shared {
		if found, there := w.flags[flag]; there {
			return found
		}
	}
	panic("no words for --" + flag)
}

// Below are the words of a subcommand.
func (w *Words) Below(command string) *Words { return w.below[command] }

// Command gives a command its words. The library's field for a template has the names of the flags that --help shows.
func (w *Words) Command(c *cli.Command) *cli.Command {
	c.CustomHelpTemplate = w.short
	c.Name, c.ArgsUsage, c.Usage, c.Description = w.name, w.arguments, w.usage, strings.TrimRight(w.description, "\n")
	return c
}

// An Act uses a flag's value, if it is given, or refuses it.
type Act[T any] func(flag string, value T) error

// Valid refuses invalid values.
func Valid[T any](ok func(T) bool, why string) Act[T] {
	return func(flag string, value T) error {
		if !ok(value) {
			return fmt.Errorf("--%s %v: %s", flag, value, why)
		}
		return nil
	}
}

// Given keeps a value; if it is not given, the pointer stays nil.
func Given[T any](to **T) Act[T] {
	return func(_ string, value T) error {
		*to = &value
		return nil
	}
}

func action[T any](flag string, acts []Act[T]) func(*cli.Context, T) error {
	return func(_ *cli.Context, value T) error {
		for _, act := range acts {
			if err := act(flag, value); err != nil {
				return err
			}
		}
		return nil
	}
}

// Switch is a flag without a value. The flags below keep their value in to, which holds the default at first.
func (w *Words) Switch(name string, to *bool) cli.Flag {
	f := w.of(name)
	return &cli.BoolFlag{Name: f.name, Aliases: f.aliases, Category: f.category, Usage: f.usage, Destination: to}
}

func (w *Words) Text(name string, to *string, acts ...Act[string]) *cli.StringFlag {
	f := w.of(name)
	return &cli.StringFlag{Name: f.name, Aliases: f.aliases, Category: f.category, DefaultText: f.otherwise, Usage: f.usage,
		Value: *to, Destination: to, Action: action(name, acts)}
}

func (w *Words) Int(name string, to *int, acts ...Act[int]) cli.Flag {
	f := w.of(name)
	return &cli.IntFlag{Name: f.name, Aliases: f.aliases, Category: f.category, DefaultText: f.otherwise, Usage: f.usage,
		Value: *to, Destination: to, Action: action(name, acts)}
}

// Generic is a flag that can be given several times. then checks its values.
func (w *Words) Generic(name string, to cli.Generic, then func(*cli.Context) error) cli.Flag {
	f := w.of(name)
	return &cli.GenericFlag{Name: f.name, Category: f.category, Usage: f.usage, Value: to,
		Action: func(c *cli.Context, _ any) error {
			if then == nil {
				return nil
			}
			return then(c)
		}}
}

// Fields are the flags of a specification, or of a part of one: a flag for each field, except those in but.
func (w *Words) Fields(of any, but ...string) (all []cli.Flag) {
	for _, f := range spec.Fields(of) {
		if !slices.Contains(but, f.Flag) {
			all = append(all, w.field(f))
		}
	}
	return all
}

// Pick are the named flags of a specification, or of a part of one.
func (w *Words) Pick(of any, names ...string) (all []cli.Flag) {
	for _, name := range names {
		all = append(all, w.field(spec.FieldOf(of, name)))
	}
	return all
}

func (w *Words) field(f spec.Field) cli.Flag {
	if on := f.Switch(); on != nil {
		return w.Switch(f.Flag, on)
	}
	word := w.of(f.Flag)
	return &cli.GenericFlag{Name: word.name, Aliases: word.aliases, Category: word.category, DefaultText: word.otherwise,
		Usage: word.usage, Value: field{f}}
}

// A field is the value of a specification's flag.
type field struct{ spec.Field }

func (f field) Set(text string) error { return f.Field.Set(text) }

// Read is a flag whose value is parsed from a text.
func (w *Words) Read(name string, read func(text string) error) *cli.StringFlag {
	return w.Text(name, new(string), func(_, text string) error { return read(text) })
}

// Split is a comma-separated list.
func (w *Words) Split(name string, to *[]string) cli.Flag {
	return w.Read(name, func(list string) error {
		for each := range strings.SplitSeq(list, ",") {
			*to = append(*to, strings.TrimSpace(each))
		}
		return nil
	})
}

// Format is one of a thing's formats, which its usage names.
func Format[T any](w *Words, to *page.Format[T], formats page.Formats[T]) cli.Flag {
	*to = formats[0]
	flag := w.Text("format", new(formats[0].Name), func(_, name string) (err error) {
		*to, err = formats.Named(name)
		return err
	})
	flag.Usage = strings.Replace(flag.Usage, formatNames, formats.Names(), 1)
	return flag
}

// formatNames is replaced by the formats' names in a usage.
const formatNames = "{formats}"

// Named is Format for commands where the extension of -o's file can choose the format.
func Named[T any](w *Words, to *string, formats page.Formats[T]) cli.Flag {
	flag := w.Text("format", to)
	flag.DefaultText = formats[0].Name + ", or by the ending of -o's file"
	flag.Usage = strings.Replace(flag.Usage, formatNames, formats.Names(), 1)
	return flag
}

// Confidence is the level of intervals.
func (w *Words) Confidence(to *float64) cli.Flag {
	*to = stats.DefaultConfidence
	return w.Share("confidence", Share{To: to, Positive: true, Below: 1})
}
