package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/journal"
)

// ofOneCall are run's flags that say nothing of the run itself.
var ofOneCall = []string{"out", "resume", "again", "dry-run", "show-prompt", "format", "full", "quiet", "verbose", "progress", "serve", "config",
	"print-config"}

// flagsGiven are the flags that say what a run is, with their values, for its journal.
func flagsGiven(c *cli.Context) map[string][]string {
	all := map[string][]string{}
	for _, flag := range c.Command.Flags {
		name := flag.Names()[0]
		if !c.IsSet(name) || slices.Contains(ofOneCall, name) {
			continue
		}
		if several, ok := c.Generic(name).(*flags.Texts); ok {
			all[name] = append([]string{""}, *several...) // the empty text is in none of them, and says that the flag was given
			continue
		}
		all[name] = []string{fmt.Sprint(c.Value(name))}
	}
	return all
}

// configure has a command take its flags from a file, or from a run's or a sweep's own, before anything else looks at them.
func configure(config *flags.Config, c *cli.Context, args []string) error {
	if config.Path == "" {
		return nil
	}
	begun, none := journal.Begun(config.Path)
	if none != nil {
		return config.Take(c)
	}
	leave := []string(nil)
	if c.NArg() > 0 {
		leave = []string{"model"}
	}
	_, err := (replay{file: journal.File(config.Path), flags: begun.Flags, leave: leave, args: args}).onto(c)
	return err
}

// takeSettings gives a run that goes on the settings of its journal, as far as no flag gives others.
func (o *runOptions) takeSettings(c *cli.Context, args []string) (err error) {
	if err := o.resumed(c, "run"); err != nil {
		return err
	}
	if filepath.Base(o.run.Out) == journal.FileName {
		o.run.Out = filepath.Dir(o.run.Out)
	}
	o.Begun, err = journal.Begun(o.run.Out)
	if errors.Is(err, fs.ErrNotExist) && c.IsSet("shard") && c.NArg() == 0 {
		o.run.Resume = false // a cluster gives one command, however often it runs it
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing to resume in %s: drop --resume", o.run.Out)
	}
	if err != nil {
		return err
	}
	// What people wrote for the run stands in the journal itself: the file may have changed.
	kept := []string{"system"}
	if o.Begun.StyleFile != nil {
		kept = append(kept, "style")
	}
	if o.Begun.Flags["ids"] != nil && !c.IsSet("ids") {
		o.Selection.Chosen, kept = o.Begun.Selection.Chosen, append(kept, "ids")
		o.Selection.Subjects = o.Begun.Selection.Subjects
	}
	if o.Begun.RuleFile != nil && !c.IsSet("rules") {
		o.settings.RuleSet, kept = o.Begun.RuleFile.Text, append(kept, "rules")
	}
	if t := o.Begun.ChatTemplate; t != nil && !c.IsSet("chat-template") {
		o.run.Form.File, o.run.Form.FileName = t.Text, "the journal's chat template"
		kept = append(kept, "chat-template")
	}
	if !c.IsSet("loops") {
		o.settings.EndLoops, kept = o.Begun.Sampling.EndLoops, append(kept, "loops")
	}
	if o.Data.Ref == "" && o.Begun.Flags["data"] == nil {
		o.Data.Ref = o.Begun.Dataset.Name // the default may be another by now
	}
	if limit := o.Begun.Selection.Limit; limit > 0 && o.Begun.Flags["limit"] == nil && !c.IsSet("limit") {
		// A journal that does not tell its flags: without a limit the run would be extended to all questions.
		if err := c.Set("limit", strconv.Itoa(limit)); err != nil {
			return err
		}
	}
	o.taken, err = replay{file: journal.File(o.run.Out), flags: o.Begun.Flags, leave: kept, args: args}.onto(c)
	return err
}

// A run's own file may be somebody else's work. It decides how the run goes on, but not where anything is sent or written, nor whose
// code is loaded: of these flags, what each decides. Whoever goes on with a run gives them again.
var confirmed = map[string]string{
	"servers":    "where questions and keys are sent",
	"engine":     "whose code is loaded",
	"cache":      "where models are written",
	"extra-body": "what is sent with questions",
}

// places are the flags that name what is read; map and system do where they begin with @. What a file says of them is shown.
var places = []string{"model", "data", "shots-file", "style", "rules", "until-decided", "imatrix", "lora"}

// A replay gives a command the flags that a file says its run was begun with.
type replay struct {
	file  string              // with the flags
	flags map[string][]string // see [flagsGiven]
	leave []string            // names of flags that are not taken
	args  []string            // the command line

	models []string // of a sweep, which are no flag's
}

// onto sets the flags that the command line does not give, and says in a line what of the file names places; empty where nothing does.
func (r replay) onto(c *cli.Context) (taken string, err error) {
	shown, again := slices.Clone(r.models), []string(nil)
	for _, name := range slices.Sorted(maps.Keys(r.flags)) {
		given := c.IsSet(name) || name == "engine" && os.Getenv(registry.EngineVariable) != ""
		if given || slices.Contains(r.leave, name) || slices.Contains(ofOneCall, name) {
			continue
		}
		values := r.flags[name]
		flag := []string{"--" + name, strings.Join(values, "")}
		if confirmed[name] != "" {
			again = append(again, flag...)
			continue
		}
		if slices.Contains(places, name) || strings.HasPrefix(flag[1], "@") {
			shown = append(shown, flag...)
		}
		if err := flags.Lacks(c.Command, name); err != nil {
			return "", fmt.Errorf("%s: its flag %w", r.file, err)
		}
		for _, value := range values {
			if err := c.Set(name, value); err != nil {
				return "", fmt.Errorf("%s: its flag --%s %s: %w", r.file, name, value, err)
			}
		}
	}
	if len(again) > 0 {
		return "", fmt.Errorf("%s alone says %s, and a file does not decide %s; if that is right: %s", r.file,
			shellescape.QuoteCommand(again), confirmed[strings.TrimPrefix(again[0], "--")],
			shellescape.QuoteCommand(append(slices.Clone(r.args), again...)))
	}
	if len(shown) > 0 {
		taken = r.file + " says: " + shellescape.QuoteCommand(shown)
	}
	return taken, nil
}

// goOnIn is the command line that goes on with what is in a folder, and was given these flags.
func goOnIn(p *console.Program, verb, folder string, flags map[string][]string) string {
	args := []string{p.Args[0], verb, "--resume", folder}
	for _, name := range slices.Sorted(maps.Keys(confirmed)) {
		if values := flags[name]; len(values) > 0 {
			args = append(args, "--"+name, strings.Join(values, ""))
		}
	}
	return shellescape.QuoteCommand(args)
}
