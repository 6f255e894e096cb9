package flags

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// The shells' scripts ask the program itself, by its hidden command complete. The library's own scripts need a package of bash's, and lose
// flags after arguments.
//
//go:embed completion
var completionScripts embed.FS

// Shells are the shells with completion.
var Shells = []string{"bash", "zsh", "fish"}

// Script is a shell's completion script.
func Script(shell string) ([]byte, error) {
	return completionScripts.ReadFile("completion/proctor." + shell)
}

// Complete lists the completions of the last word, which may be empty: one per line, with a tab and the help's text. If it lists nothing,
// the word may be a file.
func Complete(out io.Writer, app *cli.App, words []string) error {
	if len(words) == 0 {
		return nil
	}
	typed, last := words[:len(words)-1], words[len(words)-1]
	commands, flags, command := app.Commands, app.Flags, app.Command
	var of *cli.Command
	value := false // the word is the value of the flag before it
	for _, word := range typed {
		isFlag := strings.HasPrefix(word, "-")
		if value || isFlag {
			value = !value && of != nil && takesValue(of, word)
			continue
		}
		if next := command(word); next != nil && (of == nil || of.Name != "help") {
			of, commands, flags, command = next, next.Subcommands, next.Flags, next.Command
			if next.Name == "help" {
				commands, command = app.Commands, app.Command
			}
		}
	}
	suggest := func(word, usage string) error {
		if !strings.HasPrefix(word, last) {
			return nil
		}
		_, err := fmt.Fprintf(out, "%s\t%s\n", word, strings.ReplaceAll(usage, "`", ""))
		return err
	}
	switch {
	case value:
		return nil
	case strings.HasPrefix(last, "-"):
		return eachFlag(flags, suggest)
	case of != nil && of.Name == "completion":
		for _, shell := range Shells {
			if err := suggest(shell, "its script"); err != nil {
				return err
			}
		}
	}
	for _, command := range commands {
		if command.Hidden {
			continue
		}
		if err := suggest(command.Name, command.Usage); err != nil {
			return err
		}
	}
	return nil
}

func eachFlag(flags []cli.Flag, suggest func(word, usage string) error) error {
	if !slices.Contains(flags, cli.HelpFlag) {
		flags = append([]cli.Flag{cli.HelpFlag}, flags...)
	}
	if err := suggest(helpAll, "show help with all flags"); err != nil {
		return err
	}
	for _, flag := range flags {
		if err := suggest(Dashed(flag.Names()[0]), flag.(cli.DocGenerationFlag).GetUsage()); err != nil {
			return err
		}
	}
	return nil
}
