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
			writeHelp(w, &cli.Command{HelpName: of.Name, Usage: of.Usage, Description: of.Description, Subcommands: of.Commands, Flags: of.Flags},
				true)
		case *cli.Command:
			writeHelp(w, of, all)
		}
	}
}

func writeHelp(w io.Writer, c *cli.Command, all bool) {
	var b strings.Builder
	for _, line := range wrapped(c.HelpName+": "+c.Usage, helpWidth) {
		b.WriteString(line + "\n")
	}
	b.WriteString("Usage: " + c.HelpName)
	if len(c.Subcommands) > 0 {
		b.WriteString(" COMMAND")
	}
	b.WriteString(strings.TrimRight(" [flags] "+c.ArgsUsage, " ") + "\n")
	if text := described(c, all); text != "" {
		b.WriteString("\n" + text)
	}
	if len(c.Subcommands) > 0 {
		b.WriteString("\nCOMMANDS\n")
		for _, command := range c.Subcommands {
			if !command.Hidden {
				entry(&b, command.Name, command.Usage, 15)
			}
		}
	}
	writeFlags(&b, c, all)
	io.WriteString(w, b.String()) // who prints finds out itself that it failed
}

// described is the description, laid out. Without --help-all it ends at More.
func described(c *cli.Command, all bool) string {
	text, more, _ := strings.Cut(c.Description, More)
	if all {
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
func writeFlags(b *strings.Builder, c *cli.Command, all bool) {
	short := strings.Fields(c.CustomHelpTemplate)
	shown := slices.DeleteFunc(slices.Clone(c.Flags), func(f cli.Flag) bool {
		return !all && len(short) > 0 && !slices.Contains(short, f.Names()[0])
	})
	var categories []string
	for _, flag := range shown {
		if c := category(flag); !slices.Contains(categories, c) {
			categories = append(categories, c)
		}
	}
	for _, name := range categories {
		b.WriteString("\n" + name + "\n")
		for _, flag := range shown {
			if category(flag) == name {
				names, value, usage := labelled(flag.(cli.DocGenerationFlag))
				entry(b, strings.TrimRight(strings.Join(names, ", ")+" "+value, " "), usage, usageColumn)
			}
		}
	}
	switch {
	case all:
	case len(shown) < len(c.Flags):
		b.WriteString("\n" + c.HelpName + " " + helpAll + " explains all flags.\n")
	case strings.Contains(c.Description, More):
		b.WriteString("\n" + c.HelpName + " " + helpAll + " explains more.\n")
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
	if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 && flag.TakesValue() {
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
