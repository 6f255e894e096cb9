package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// interspersed moves a verb's flags before its arguments: people write `report RUN --format json`, and the library
// takes everything after the first argument for arguments.
func interspersed(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	verb, words := app.Command(args[1]), 2
	if verb == nil {
		return args
	}
	if len(args) > words && verb.Command(args[words]) != nil {
		verb, words = verb.Command(args[words]), words+1
	}
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
			if takesValue(verb, arg) && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		}
	}
	return slices.Concat(args[:words], flags, rest)
}

// takesValue says whether the argument after the flag belongs to it.
func takesValue(verb *cli.Command, flag string) bool {
	name := strings.TrimLeft(flag, "-") // with "=" it is no flag's, and the value is part of it
	return slices.ContainsFunc(verb.Flags, func(f cli.Flag) bool {
		_, isBool := f.(*cli.BoolFlag)
		return slices.Contains(f.Names(), name) && !isBool
	})
}
