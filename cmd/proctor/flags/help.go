package flags

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// More precedes the part of a command's description that only --help-all shows.
const More = "\f"

const (
	helpAll     = "--help-all"
	helpWidth   = 100 // columns
	usageColumn = 26  // column of the flags' explanations
)

// HelpAll says whether a command line has --help-all, and replaces that by --help.
func HelpAll(args []string) (asHelp []string, all bool) {
	i := slices.Index(args, helpAll)
	if i < 0 {
		return args, false
	}
	return slices.Concat(args[:i], []string{"--help"}, args[i+1:]), true
}

// HelpPrinter writes help as [cli.HelpPrinter] does, in 100 columns. The library's own has one line per flag, of any length.
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
	io.WriteString(w, b.String()) // the writer remembers its errors
}

// described lays out the description; without --help-all only the part before More.
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

// layOut writes a paragraph: prose is filled, and indented lines, such as examples and tables, keep their columns if they fit.
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

// A group is a group of flags with a heading.
type group struct {
	heading string
	flags   []cli.Flag
}

// byCategory groups all flags, with categories in the order of their first flags.
func byCategory(all []cli.Flag) (groups []group) {
	for _, flag := range all {
		i := slices.IndexFunc(groups, func(g group) bool { return g.heading == category(flag) })
		if i < 0 {
			groups, i = append(groups, group{heading: category(flag)}), len(groups)
		}
		groups[i].flags = append(groups[i].flags, flag)
	}
	return groups
}

// chosen returns the flags of a short help: a line of names per group, with its heading before a colon; by category without headings.
func chosen(short string, all []cli.Flag) (groups []group) {
	named := func(names string) (some []cli.Flag) {
		for name := range strings.FieldsSeq(names) {
			some = append(some, all[slices.IndexFunc(all, func(f cli.Flag) bool { return f.Names()[0] == name })])
		}
		return some
	}
	if !grouped(short) {
		return byCategory(named(short))
	}
	for line := range strings.Lines(short) {
		heading, names, _ := strings.Cut(line, ":")
		groups = append(groups, group{heading, named(names)})
	}
	return groups
}

func grouped(short string) bool { return strings.Contains(short, ":") }

// writeFlags writes all flags in groups, or those of the short help; in groups of its own each has the first part of its usage.
func writeFlags(b *strings.Builder, c *cli.Command, all bool) {
	groups, shown := byCategory(c.Flags), 0
	if !all && c.CustomHelpTemplate != "" {
		groups = chosen(c.CustomHelpTemplate, c.Flags)
	}
	for _, g := range groups {
		b.WriteString("\n" + g.heading + "\n")
		shown += len(g.flags)
		for _, flag := range g.flags {
			names, value, usage := labelled(flag.(cli.DocGenerationFlag))
			if !all && grouped(c.CustomHelpTemplate) {
				usage = brief(usage)
			}
			entry(b, strings.TrimRight(strings.Join(names, ", ")+" "+value, " "), usage, usageColumn)
		}
	}
	switch {
	case all:
	case shown < len(c.Flags):
		b.WriteString("\n" + c.HelpName + " " + helpAll + " explains all flags.\n")
	case strings.Contains(c.Description, More):
		b.WriteString("\n" + c.HelpName + " " + helpAll + " explains more.\n")
	}
}

// brief is the first part of a usage, with the default if the line has room for it.
func brief(usage string) string {
	text, otherwise := usage, ""
	if i := strings.LastIndex(usage, " (default: "); i >= 0 {
		text, otherwise = usage[:i], usage[i:]
	}
	text, _, _ = strings.Cut(text, "; ")
	if utf8.RuneCountInString(text+otherwise) > helpWidth-usageColumn {
		return text
	}
	return text + otherwise
}

func category(flag cli.Flag) string {
	if c, ok := flag.(cli.CategorizableFlag); ok && c.GetCategory() != "" {
		return c.GetCategory()
	}
	return "FLAGS"
}

// labelled returns a flag's names, the name of its value, and its usage, with its default.
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

// entry writes a label and, from a column on, its meaning.
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
