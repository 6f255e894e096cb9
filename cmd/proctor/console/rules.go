package console

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/runner/mark/grade"
)

// RuleSet is what --rules names: a built-in rule set's name, or the text of a file.
func RuleSet(ref string) (string, error) {
	_, unknown := grade.Lookup(ref)
	if unknown == nil || !namesFile(ref) {
		return ref, unknown
	}
	text, err := readText(ref)
	if err != nil {
		return "", fmt.Errorf("--rules: %w: the built-in rule sets are %s", err, grade.Names(grade.Sets()))
	}
	_, err = grade.Parse(ref, text)
	return text, err
}

func RulesFlag(w *flags.Words, to *string) cli.Flag {
	flag := w.Text("rules", to)
	flag.Action = func(c *cli.Context, ref string) (err error) {
		if *to, err = RuleSet(ref); errors.Is(err, fs.ErrNotExist) && c.Bool("resume") {
			return nil // a run that goes on has its rules in its journal
		}
		return err
	}
	return flag
}
