package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// SetArgument names the argument of a command that may be the name of a question set.
const SetArgument = "[SET]"

// WithSet has a command's argument that is the name of a question set stand for --data. The command line is that of [Interspersed].
// known says whether a word is such a name, and what is wrong with it. Words after -- are none, nor the DIR of --resume.
func WithSet(app *cli.App, args []string, known func(word string) (is bool, err error)) ([]string, error) {
	if len(args) < 3 {
		return args, nil
	}
	command := app.Command(args[1])
	if command == nil || !strings.Contains(command.ArgsUsage, SetArgument) {
		return args, nil
	}
	end, given := flagsEnd(command, args)
	if given("resume") {
		return args, nil
	}
	set, rest := "", []string(nil)
	for i, arg := range args[end:] {
		if arg == "--" {
			rest = append(rest, args[end+i:]...)
			break
		}
		is, err := known(arg)
		switch {
		case err != nil:
			return nil, err
		case !is:
			rest = append(rest, arg)
			continue
		case set != "":
			return nil, fmt.Errorf("%s takes one set, not %s and %s; `proctor run --tasks` asks several tasks of one", command.Name, set, arg)
		case given("data"):
			return nil, fmt.Errorf("%s takes one set: the one of --data, or %s as the argument", command.Name, arg)
		}
		set = arg
	}
	if set == "" {
		return args, nil
	}
	if len(rest) == 0 && !given("model") && (given("servers") || given("ollama-hosts")) {
		return nil, fmt.Errorf("%s is the name of a set, and may be that of a model at the servers: "+
			"give --data %[1]s and --model NAME, or --model %[1]s", set)
	}
	return slices.Concat(args[:end], []string{"--data", set}, rest), nil
}

// flagsEnd is where a command's arguments begin, and says which flags stand before them.
func flagsEnd(command *cli.Command, args []string) (end int, given func(name string) bool) {
	var names []string
	for end = 2; end < len(args) && len(args[end]) > 1 && args[end][0] == '-' && args[end] != "--"; end++ {
		name, _, _ := strings.Cut(strings.TrimLeft(args[end], "-"), "=")
		names = append(names, name)
		if takesValue(command, args[end]) {
			end++
		}
	}
	return min(end, len(args)), func(name string) bool { return slices.Contains(names, name) }
}
