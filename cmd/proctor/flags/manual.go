package flags

import (
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/urfave/cli/v2"
)

// Manual is the man page. The library's own lacks the description, and so the examples.
func Manual(app *cli.App) []byte {
	var page strings.Builder
	fmt.Fprintf(&page, "%% %s 1\n\n# NAME\n\n%[1]s - %[2]s\n\n", app.Name, app.Usage)
	fmt.Fprintf(&page, "# SYNOPSIS\n\n**%s** *command* [*flags*] [*arguments*]\n\n# DESCRIPTION\n\n", app.Name)
	page.WriteString(verbatim(app.Description) + "# COMMANDS\n\n")
	for _, command := range app.Commands {
		section(&page, app.Name, command)
	}
	return md2man.Render([]byte(page.String()))
}

// section writes a command's section, then those of its subcommands.
func section(page *strings.Builder, of string, command *cli.Command) {
	if command.Hidden {
		return
	}
	name := of + " " + command.Name
	fmt.Fprintf(page, "## %s\n\n%s\n\n", strings.TrimSpace(name+" "+literal(command.ArgsUsage)), literal(command.Usage))
	page.WriteString(verbatim(command.Description))
	for _, flag := range command.Flags {
		page.WriteString(explained(flag.(cli.DocGenerationFlag)))
	}
	for _, sub := range command.Subcommands {
		section(page, name, sub)
	}
}

func explained(flag cli.DocGenerationFlag) string {
	names, value, usage := labelled(flag)
	entry := "**" + strings.Join(names, "**, **") + "**"
	if value != "" {
		entry += " *" + literal(value) + "*"
	}
	return entry + "\n: " + literal(usage) + "\n\n"
}

// verbatim keeps a text's lines and columns, as of examples.
func verbatim(text string) string {
	if text = strings.Trim(strings.ReplaceAll(text, More, ""), "\n"); text == "" {
		return ""
	}
	return "```\n" + text + "\n```\n\n"
}

// literal escapes Markdown.
var literal = strings.NewReplacer(
	`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "]", `\]`, "`", "\\`", "#", `\#`, "|", `\|`,
).Replace
