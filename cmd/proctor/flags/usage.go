package flags

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/setting"
	"proctor/prompts/task"
)

// Messages of the standard library's flag package for a flag that it cannot parse.
var (
	unknownFlag  = regexp.MustCompile(`^flag provided but not defined: -(.+)$`)
	lacksValue   = regexp.MustCompile(`^flag needs an argument: -(.+)$`)
	invalidValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value (".*") for (?:flag )?-(\S+): (.*)$`)
)

// UsageError words errors in a command line's flags with the command's own texts.
func UsageError(args []string) cli.OnUsageErrorFunc {
	return func(c *cli.Context, err error, _ bool) error { return wrongFlag(args, c, err) }
}

func wrongFlag(args []string, c *cli.Context, err error) error {
	text := err.Error()
	if found := unknownFlag.FindStringSubmatch(text); found != nil {
		return noSuchFlag(args, c, found[1])
	}
	if found := lacksValue.FindStringSubmatch(text); found != nil {
		usage := ""
		if flag := flagOf(c.Command, found[1]); flag != nil {
			usage = ": " + strings.ReplaceAll(flag.GetUsage(), "`", "")
		}
		return fmt.Errorf("%s needs a value%s; `%s --help` lists the flags", Dashed(found[1]), usage, c.Command.HelpName)
	}
	if found := invalidValue.FindStringSubmatch(text); found != nil {
		if reason := found[3]; strings.HasPrefix(reason, "-") { // the own message of the flag, which may have another name
			return errors.New(reason)
		}
		return fmt.Errorf("%s %s: it takes %s; `%s --help` lists the flags",
			Dashed(found[2]), strings.Trim(found[1], `"`), taken(c, found[2]), c.Command.HelpName)
	}
	return err
}

// noSuchFlag suggests the nearest flag, also for a flag before the command.
func noSuchFlag(args []string, c *cli.Context, name string) error {
	command := slices.IndexFunc(args, func(arg string) bool { return arg != args[0] && c.App.Command(arg) != nil })
	if c.Command.Name == c.App.Name { // the program's own flags
		if command < 0 {
			if err := Instead(c.App.Command("run"), Dashed(name)); err != nil {
				return err
			}
			return fmt.Errorf("%s is not a flag of %s itself: a command's flags follow it, as in `%[2]s run %[1]s …`; "+
				"`%[2]s --help` lists the commands", Dashed(name), c.App.Name)
		}
		if of := c.App.Command(args[command]); flagOf(of, name) == nil {
			return Lacks(of, name)
		}
		moved := slices.Concat(args[:1], args[command:], args[1:command])
		return fmt.Errorf("%s comes before its command: flags follow it, as in `%s`", Dashed(name), setting.Command(moved...))
	}
	return Lacks(c.Command, name)
}

// noFlagOf suggests a command's nearest flag.
func noFlagOf(of *cli.Command, name string) error {
	var names []string
	for _, flag := range of.Flags {
		names = append(names, flag.Names()...)
	}
	meant := task.Nearest(name, names)
	return fmt.Errorf("%s has no flag %s: %s`%s --help` lists its flags", of.Name, Dashed(name), task.DidYouMean(Dashed(meant)),
		cmp.Or(of.HelpName, "proctor "+of.Name))
}

// flagOf finds a command's flag by name; nil if it has none.
func flagOf(of *cli.Command, name string) cli.DocGenerationFlag {
	for _, flag := range of.Flags {
		if slices.Contains(flag.Names(), name) {
			return flag.(cli.DocGenerationFlag) // all of the library's flags are
		}
	}
	return nil
}

// taken describes a flag's value.
func taken(c *cli.Context, name string) string {
	switch flagOf(c.Command, name).(type) {
	case *cli.IntFlag:
		return "a whole number"
	case *cli.Uint64Flag:
		return "a whole number from 0"
	case *cli.Float64Flag:
		return "a number"
	case *cli.DurationFlag:
		return "a time, as in 90s or 10m"
	case *cli.BoolFlag:
		return "no value, or =false"
	}
	return "a text"
}

// HelpOrRefuse answers a command that needs a subcommand.
func HelpOrRefuse(c *cli.Context) error {
	typed := c.Args().First()
	if typed == "" {
		return cli.ShowSubcommandHelp(c)
	}
	commands, path := c.App.Commands, typed
	if c.Command.Name != c.App.Name {
		commands, path = c.Command.Subcommands, c.Command.Name+" "+typed
	}
	for _, table := range []map[string]remedy{gone, elsewhere} {
		if remedy := table[path]; remedy.name == path { // no dashes: a command
			return remedy.instead(path)
		}
	}
	var names []string
	for _, command := range commands {
		names = append(names, command.Name)
	}
	return fmt.Errorf("there is no command %q: %s`%s --help` lists them", typed, task.DidYouMean(task.Nearest(typed, names)), c.Command.HelpName)
}

// Dashed is a flag as people write it; empty for an empty name.
func Dashed(name string) string {
	switch len(name) {
	case 0:
		return ""
	case 1:
		return "-" + name
	}
	return "--" + name
}

// Messages of all packages name settings by this program's flags.
func init() { setting.SetSpelling(Spelled) }

// renamed are the settings whose flag has another name.
var renamed = map[setting.Setting]string{setting.Context: "ctx"}

// Spelled is a setting's flag.
func Spelled(s setting.Setting) string {
	name, other := renamed[s]
	switch part, ofSampling := strings.CutPrefix(string(s), "sampling "); {
	case ofSampling:
		name = "sampling " + part
	case !other:
		name = strings.ReplaceAll(string(s), " ", "-")
	}
	return "--" + name
}
