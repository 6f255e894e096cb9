package flags

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/tools/txtar"
)

// A refusal is a row of a command's table of flags that exclude or need each other, below "-- refused --" in its words:
//
//	first without limit: goes with --limit N
//	batched pps with exam: …
//
// Each of the first flags is refused with any of the others, or without all of them. A row with "without" may lack its message, which is
// then that the flag goes with the first of the others.
type refusal struct {
	flags, others []string
	without       bool
	why           string
}

var refusalLine = regexp.MustCompile(`^([\w -]+?) (with|without) ([\w -]+)(?:: (.*))?$`)

func (w *Words) refuse(lines string) {
	for line := range entries(lines) {
		m := refusalLine.FindStringSubmatch(line)
		r := refusal{strings.Fields(m[1]), strings.Fields(m[3]), m[2] == "without", m[4]}
		if r.why == "" {
			r.why = "goes with " + Dashed(r.others[0])
		}
		w.refused = append(w.refused, r)
	}
}

// Refusing applies a command's refusals, and the shared ones, before the command starts.
func (w *Words) Refusing() cli.BeforeFunc {
	return func(c *cli.Context) error { return w.Refuse(c.IsSet) }
}

// Refuse applies the refusals, and the shared ones, to the flags that hold.
func (w *Words) Refuse(holds func(flag string) bool) error {
	return refuse(slices.Concat(w.refused, w.shared.refused), holds)
}

// RefusingAlone is [Words.Refusing] without the shared refusals.
func (w *Words) RefusingAlone() cli.BeforeFunc {
	return func(c *cli.Context) error { return refuse(w.refused, c.IsSet) }
}

func refuse(table []refusal, holds func(flag string) bool) error {
	for _, row := range table {
		for _, flag := range row.flags {
			if holds(flag) && slices.ContainsFunc(row.others, holds) != row.without {
				return fmt.Errorf("%s %s", Dashed(flag), row.why)
			}
		}
	}
	return nil
}

// gone.txt has what commands no longer have: flags, in a row if they share a remedy, and commands.
//
//	run,sweep --top-k --top-p: give --sampling LIST
//	engine add: give --engine DIR
//
//go:embed gone.txt
var goneRows string

// elsewhere.txt has such rows for other programs, under the program's name: flags with their dashes, keys of files and commands without.
//
//go:embed elsewhere.txt
var elsewhereRows string

// A remedy says what to use instead of a flag or command that there is not.
type remedy struct {
	name string // in its program's spelling, a flag with dashes
	of   string // its program; empty for a part of this one
	do   string
}

// gone has the remedies by command and flag, as in "run --top-k", elsewhere by the [plainName] of their names.
var gone, elsewhere = goneParts(), elsewhereFlags()

func goneParts() map[string]remedy {
	all := map[string]remedy{}
	for row := range entries(goneRows) {
		names, do, _ := strings.Cut(row, ": ")
		commands, listed, _ := strings.Cut(names, " --")
		for command := range strings.SplitSeq(commands, ",") {
			if listed == "" {
				all[command] = remedy{command, "", do}
			}
			for flag := range strings.FieldsSeq(listed) {
				flag = Dashed(strings.TrimLeft(flag, "-"))
				all[command+" "+flag] = remedy{flag, "", do}
			}
		}
	}
	return all
}

func elsewhereFlags() map[string]remedy {
	all := map[string]remedy{}
	for _, section := range txtar.Parse([]byte(elsewhereRows)).Files {
		for row := range entries(string(section.Data)) {
			names, do, _ := strings.Cut(row, ": ")
			for name := range strings.FieldsSeq(names) {
				all[plainName(name)] = remedy{name, section.Name, do}
			}
		}
	}
	return all
}

// plainName is a flag's name in one spelling: --num_fewshot and --num-fewshot are the same.
func plainName(flag string) string { return strings.ReplaceAll(strings.TrimLeft(flag, "-"), "_", "-") }

// givesFlag matches a remedy that only applies to commands with its flag.
var givesFlag = regexp.MustCompile(`^give --([\w-]+)`)

// Instead is the error with the remedy for a removed flag, or one of another program. typed is a flag with its dashes or a file's key. It
// is nil if the command has the flag itself, or there is no remedy.
func Instead(of *cli.Command, typed string) error {
	if flagOf(of, strings.TrimLeft(typed, "-")) != nil {
		return nil
	}
	if left, known := gone[of.Name+" "+Dashed(plainName(typed))]; known {
		return left.instead(left.name)
	}
	other, known := elsewhere[plainName(typed)]
	given := givesFlag.FindStringSubmatch(other.do)
	if !known || given != nil && flagOf(of, given[1]) == nil {
		return nil
	}
	return other.instead(typed)
}

func (r remedy) instead(typed string) error {
	if r.of == "" {
		return fmt.Errorf("%s left this version: %s", typed, r.do)
	}
	return fmt.Errorf("%s is %s: %s", typed, r.of, r.do)
}

// Lacks refuses a flag that a command does not have, with its remedy or the nearest flag.
func Lacks(of *cli.Command, name string) error {
	if err := Instead(of, Dashed(name)); err != nil || flagOf(of, name) != nil {
		return err
	}
	return noFlagOf(of, name)
}
