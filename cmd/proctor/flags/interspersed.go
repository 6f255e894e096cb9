package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// setArguments is the arguments' text of a command that accepts names of question sets.
const setArguments = "[SET…]"

// Interspersed moves a command's flags before its arguments: people write `report RUN --format json`, and the library treats everything
// after the first argument as arguments. known says whether a word is the name of a question set, and its error; such a word becomes
// --data.
func Interspersed(app *cli.App, args []string, known func(word string) (is bool, err error)) ([]string, error) {
	if len(args) < 2 {
		return args, nil
	}
	command, words := app.Command(args[1]), 2
	if command == nil {
		return args, nil
	}
	if len(args) > words && command.Command(args[words]) != nil {
		command, words = command.Command(args[words]), words+1
	}
	args = modelGiven(command, args, words)
	var flags, names, rest []string
	for i := words; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			rest = append(rest, args[i:]...)
			i = len(args)
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
		default:
			name, _, _ := strings.Cut(arg, "=")
			if err := Instead(command, name); err != nil { // before its value is taken for a set
				return nil, err
			}
			name = strings.TrimLeft(name, "-")
			given := func(name string) bool { return slices.Contains(names, name) }
			if of := flagOf(command, name); of != nil && once(of) && slices.ContainsFunc(of.Names(), given) {
				return nil, fmt.Errorf("--%s is given twice: give it once; where it takes several, separate them by commas",
					of.Names()[0])
			}
			flags, names = append(flags, arg), append(names, name)
			if takesValue(command, arg) && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		}
	}
	if slices.Contains(flags, "--help") || slices.Contains(flags, "-h") {
		rest = nil // the library takes an argument after it for a topic of its own
	}
	folder := slices.Contains(names, "resume") && !slices.Contains(names, "out") // the folder is the argument
	if strings.HasSuffix(command.ArgsUsage, setArguments) && !folder {
		set, others, err := setAmong(command, names, rest, known)
		if err != nil {
			return nil, err
		}
		flags, rest = append(flags, set...), others
	}
	return slices.Concat(args[:words], flags, rest), nil
}

// setAmong moves the arguments that name question sets to --data. Words after -- are never names.
func setAmong(command *cli.Command, given, args []string, known func(string) (bool, error)) (data, others []string, err error) {
	var sets []string
	for i, arg := range args {
		if arg == "--" {
			others = append(others, args[i:]...)
			break
		}
		is, err := known(arg)
		switch {
		case err != nil:
			return nil, nil, err
		case !is:
			others = append(others, arg)
			continue
		case slices.Contains(given, "data"):
			return nil, nil, fmt.Errorf("%s takes its sets once: those of --data, or %s as the argument", command.Name, arg)
		}
		sets = append(sets, arg)
	}
	served := slices.Contains(given, "servers")
	switch {
	case len(sets) == 0:
		return nil, others, nil
	case len(others) == 0 && !slices.Contains(given, "model") && served:
		return nil, nil, fmt.Errorf("%s is the name of a set, and may be that of a model at the servers: "+
			"give --data %[1]s and --model NAME, or --model %[1]s", sets[0])
	}
	return []string{"--data", strings.Join(sets, ",")}, others, nil
}

// modelGiven turns -m into --model, and either into the MODEL of a command that takes it as an argument.
func modelGiven(command *cli.Command, args []string, words int) []string {
	var all []string
	has := func(name string) bool { return flagOf(command, name) != nil }
	asArgument := !has("model") && strings.HasPrefix(strings.TrimPrefix(command.ArgsUsage, "["), "MODEL")
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		isModel := i >= words && (name == "-m" || name == "--model") && !slices.Contains(args[:i], "--")
		switch {
		case isModel && has("model") && !has("m"):
			arg = strings.Replace(arg, name, "--model", 1)
		case isModel && asArgument && joined:
			arg = value
		case isModel && asArgument:
			continue
		}
		all = append(all, arg)
	}
	return all
}

// takesValue says whether the argument after the flag is its value.
func takesValue(command *cli.Command, flag string) bool {
	of := flagOf(command, strings.TrimLeft(flag, "-")) // with "=" it is no flag's name, and contains the value
	_, isBool := of.(*cli.BoolFlag)
	return of != nil && !isBool
}

// once says whether a flag has one value, so that a second one would replace the first.
func once(flag cli.Flag) bool {
	switch of := flag.(type) {
	case *cli.BoolFlag:
		return false
	case *cli.GenericFlag:
		value, isField := of.Value.(field)
		return isField && !value.Several
	}
	return true
}
