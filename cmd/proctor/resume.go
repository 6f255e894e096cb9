package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"proctor/runner/ask"
	"proctor/runner/journal"
)

// ofOneCall are run's flags that say nothing of the run itself.
var ofOneCall = []string{"out", "resume", "dry-run", "format", "full", "quiet", "verbose", "pull", "progress", "serve",
	"isolate"}

// flagsGiven are the flags that say what a run is, with their values, for its journal.
func flagsGiven(c *cli.Context) map[string][]string {
	all := map[string][]string{}
	for _, flag := range c.Command.Flags {
		name := flag.Names()[0]
		if !c.IsSet(name) || slices.Contains(ofOneCall, name) {
			continue
		}
		if several, ok := c.Generic(name).(*texts); ok {
			all[name] = append([]string{""}, *several...) // the empty text is in none of them, and says that the flag was given
			continue
		}
		all[name] = []string{fmt.Sprint(c.Value(name))}
	}
	return all
}

// resuming gives a run that goes on the settings of its journal, as far as no flag gives others, and then looks for conflicts.
func (o *runOptions) resuming(args []string, conflicts ...conflict) cli.BeforeFunc {
	return func(c *cli.Context) error {
		if o.resume && !o.dryRun {
			if err := o.takeSettings(c, args); err != nil {
				return err
			}
		}
		return refusing(conflicts...)(c)
	}
}

func (o *runOptions) takeSettings(c *cli.Context, args []string) (err error) {
	if o.out == "" && c.NArg() == 1 {
		o.out = c.Args().First()
	} else if c.NArg() > 0 {
		return fmt.Errorf("--resume goes on with one run, in --out or in the DIR that follows, not %q", c.Args().Slice())
	}
	if filepath.Base(o.out) == journal.FileName {
		o.out = filepath.Dir(o.out)
	}
	if o.out == "" {
		return errors.New("--resume needs --out DIR, the folder of the run to go on with, or DIR alone")
	}
	o.begun, err = ask.Begun(o.out)
	if errors.Is(err, fs.ErrNotExist) && c.IsSet("shard") && c.NArg() == 0 {
		o.resume = false // a cluster gives one command, however often it runs it
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing to resume in %s: drop --resume", o.out)
	}
	if err != nil {
		return err
	}
	// What people wrote for the run stands in the journal itself: the file may have changed.
	kept := []string{"system", "like"}
	if o.begun.StyleFile != nil {
		kept = append(kept, "style")
	}
	if o.begun.RuleFile != nil && !c.IsSet("rules") {
		o.settings.RuleSet, kept = o.begun.RuleFile.Text, append(kept, "rules")
	}
	if o.data.ref == "" && o.begun.Flags["data"] == nil {
		o.data.ref = o.begun.Dataset.Name // the default may be another by now
	}
	if limit := o.begun.Selection.Limit; limit > 0 && o.begun.Flags["limit"] == nil && !c.IsSet("limit") {
		// A journal that does not tell its flags: without a limit the run would be extended to all questions.
		if err := c.Set("limit", strconv.Itoa(limit)); err != nil {
			return err
		}
	}
	o.taken, err = replay{file: journal.File(o.out), flags: o.begun.Flags, leave: kept, args: args}.onto(c)
	return err
}
