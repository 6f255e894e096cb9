package flags

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Interspersed moves a command's flags before its arguments: people write `report RUN --format json`, and the library
// takes everything after the first argument for arguments.
func Interspersed(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	command, words := app.Command(args[1]), 2
	if command == nil {
		return args
	}
	if len(args) > words && command.Command(args[words]) != nil {
		command, words = command.Command(args[words]), words+1
	}
	args = modelGiven(command, args, words)
	var flags, rest []string
	for i := words; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			rest = append(rest, args[i:]...)
			i = len(args)
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
		default:
			flags = append(flags, arg)
			if takesValue(command, arg) && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		}
	}
	if slices.ContainsFunc(flags, func(arg string) bool { return arg == "--help" || arg == "-h" }) {
		rest = nil // the library takes an argument after it for a topic of its own
	}
	return slices.Concat(args[:words], flags, rest)
}

// modelGiven has -m stand for --model, and either for the MODEL of a command that takes it as an argument.
func modelGiven(command *cli.Command, args []string, words int) []string {
	var all []string
	has := func(name string) bool { return flagOf(command, name) != nil }
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		isModel := i >= words && (name == "-m" || name == "--model") && !slices.Contains(args[:i], "--")
		switch {
		case isModel && has("model") && !has("m"):
			arg = strings.Replace(arg, name, "--model", 1)
		case isModel && !has("model") && strings.HasPrefix(command.ArgsUsage, "MODEL") && joined:
			arg = value
		case isModel && !has("model") && strings.HasPrefix(command.ArgsUsage, "MODEL"):
			continue
		}
		all = append(all, arg)
	}
	return all
}

// takesValue says whether the argument after the flag belongs to it.
func takesValue(command *cli.Command, flag string) bool {
	of := flagOf(command, strings.TrimLeft(flag, "-")) // with "=" it is no flag's, and the value is part of it
	_, isBool := of.(*cli.BoolFlag)
	return of != nil && !isBool
}
