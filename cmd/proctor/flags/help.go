package flags

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// More begins, in a command's description, what only --help-all shows.
const More = "\f"

const (
	helpAll     = "--help-all"
	helpWidth   = 100 // columns
	usageColumn = 26  // where flags are explained
)

// HelpAll says whether a command line asks for all flags, and returns it with --help in that place.
func HelpAll(args []string) (asHelp []string, all bool) {
	i := slices.Index(args, helpAll)
	if i < 0 {
		return args, false
	}
	return slices.Concat(args[:i], []string{"--help"}, args[i+1:]), true
}

// HelpPrinter writes help as [cli.HelpPrinter] does, in 100 columns. The library's own has a line a flag, however long.
func HelpPrinter(all bool) func(w io.Writer, template string, of any) {
	return func(w io.Writer, template string, of any) {
		switch of := of.(type) {
		case *cli.App:
			writeHelp(w, help{name: of.Name, usage: of.Usage, description: of.Description, commands: of.Commands, flags: of.Flags, all: true})
		case *cli.Command:
			writeHelp(w, help{
				name: of.HelpName, usage: of.Usage, arguments: of.ArgsUsage, description: of.Description,
				commands: of.Subcommands, flags: of.Flags, short: strings.Fields(of.CustomHelpTemplate), all: all,
			})
		}
	}
}

// help is what a command or the program says of itself.
type help struct {
	name, usage, arguments, description string
	commands                            []*cli.Command
	flags                               []cli.Flag
	short                               []string // names; empty for all
	all                                 bool
}

func writeHelp(w io.Writer, h help) {
	var b strings.Builder
	for _, line := range wrapped(h.name+": "+h.usage, helpWidth) {
		b.WriteString(line + "\n")
	}
	called := h.name
	if len(h.commands) > 0 {
		called += " COMMAND"
	}
	called += " [flags]"
	if h.arguments != "" {
		called += " " + h.arguments
	}
	b.WriteString("Usage: " + called + "\n")
	if text := h.described(); text != "" {
		b.WriteString("\n" + text)
	}
	if len(h.commands) > 0 {
		b.WriteString("\nCOMMANDS\n")
		for _, command := range h.commands {
			if !command.Hidden {
				entry(&b, command.Name, command.Usage, 15)
			}
		}
	}
	h.writeFlags(&b)
	io.WriteString(w, b.String()) // who prints finds out itself that it failed
}

// described is the description, laid out. Without --help-all it ends at More.
func (h help) described() string {
	text, more, _ := strings.Cut(h.description, More)
	if h.all {
		text += more
	} else if i := strings.LastIndex(more, "\n\n"); i >= 0 { // the exit codes
		text = strings.TrimRight(text, "\n") + more[i:]
	}
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		layOut(&b, paragraph)
	}
	if b.Len() == 1 {
		return ""
	}
	return b.String()
}

// layOut writes a paragraph: prose is filled, and lines with an indent, such as examples and tables, keep their columns where they fit.
func layOut(b *strings.Builder, paragraph string) {
	var prose []string
	flush := func() {
		for _, line := range wrapped(strings.Join(prose, " "), helpWidth) {
			b.WriteString(line + "\n")
		}
		prose = nil
	}
	for line := range strings.SplitSeq(paragraph, "\n") {
		if !strings.HasPrefix(line, " ") {
			prose = append(prose, line)
			continue
		}
		flush()
		if utf8.RuneCountInString(line) <= helpWidth {
			b.WriteString(line + "\n")
			continue
		}
		text := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(text)]
		if command, remark, two := strings.Cut(text, "   "); two && len(indent) <= 3 {
			b.WriteString(indent + command + "\n")
			indent, text = indent+"   ", strings.TrimLeft(remark, " ")
		}
		for _, part := range wrapped(text, helpWidth-len(indent)) {
			b.WriteString(indent + part + "\n")
		}
	}
	flush()
}

// writeFlags writes flags by category, in the order of their first flags.
func (h help) writeFlags(b *strings.Builder) {
	shown := slices.DeleteFunc(slices.Clone(h.flags), func(f cli.Flag) bool {
		return !h.all && len(h.short) > 0 && !slices.Contains(h.short, f.Names()[0])
	})
	var categories []string
	for _, flag := range shown {
		if c := category(flag); !slices.Contains(categories, c) {
			categories = append(categories, c)
		}
	}
	for _, c := range categories {
		b.WriteString("\n" + c + "\n")
		for _, flag := range shown {
			if category(flag) == c {
				names, value, usage := labelled(flag.(cli.DocGenerationFlag))
				entry(b, strings.TrimRight(strings.Join(names, ", ")+" "+value, " "), usage, usageColumn)
			}
		}
	}
	switch {
	case h.all:
	case len(shown) < len(h.flags):
		b.WriteString("\n" + h.name + " " + helpAll + " explains all flags.\n")
	case strings.Contains(h.description, More):
		b.WriteString("\n" + h.name + " " + helpAll + " explains more.\n")
	}
}

func category(flag cli.Flag) string {
	if c, ok := flag.(cli.CategorizableFlag); ok && c.GetCategory() != "" {
		return c.GetCategory()
	}
	return "FLAGS"
}

// labelled are a flag's names, what its value is called, and what it does, with its default.
func labelled(flag cli.DocGenerationFlag) (names []string, value, usage string) {
	for _, name := range flag.Names() {
		names = append(names, Dashed(name))
	}
	usage = flag.GetUsage()
	if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
		value = parts[1]
	}
	usage = strings.ReplaceAll(usage, "`", "")
	if otherwise := strings.Trim(flag.GetDefaultText(), `"`); flag.TakesValue() && otherwise != "" {
		usage += " (default: " + otherwise + ")"
	}
	return names, value, usage
}

// entry writes a label and, from a column on, what it means.
func entry(b *strings.Builder, label, text string, column int) {
	line := "   " + label
	if utf8.RuneCountInString(line)+2 > column {
		b.WriteString(line + "\n")
		line = ""
	}
	for _, part := range wrapped(text, helpWidth-column) {
		b.WriteString(line + strings.Repeat(" ", column-utf8.RuneCountInString(line)) + part + "\n")
		line = ""
	}
}

// wrapped splits a text into lines of at most width columns.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line == "" {
		return lines
	}
	return append(lines, line)
}
