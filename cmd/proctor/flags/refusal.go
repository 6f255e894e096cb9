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

// A refusal is a row of a command's table of flags that do not go together, which stands below "-- refused --" in its words:
//
//	first without limit: goes with --limit N
//	batched pps with exam: …
//
// Each of the first flags is refused where one of the others is given, or none of them. What follows them in the message may be left out
// of one without others: it goes with the first of these.
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

// Refusing looks for what a command's words refuse, and those shared with it, before it begins.
func (w *Words) Refusing() cli.BeforeFunc {
	return func(c *cli.Context) error { return w.Refuse(c.IsSet) }
}

// Refuse looks for what the words refuse, and those shared with them, among the flags that hold.
func (w *Words) Refuse(holds func(flag string) bool) error {
	return refuse(slices.Concat(w.refused, w.shared.refused), holds)
}

// RefusingAlone is [Words.Refusing] without what is shared.
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

// gone.txt has the flags that left, a row for those with the same story. Each says what to do in the flag's place:
//
//	top-k top-p: give --sampling LIST
//
//go:embed gone.txt
var goneRows string

// elsewhere.txt has such rows of what other programs have, below whose it is: flags with their dashes, keys of files and commands
// without.
//
//go:embed elsewhere.txt
var elsewhereRows string

// A remedy says what to do in the place of a flag that a command does not have.
type remedy struct {
	name string // as its program spells it, a flag with dashes
	of   string // whose it is; empty for a flag that left
	do   string
}

// gone and elsewhere have the remedies by what [plainName] makes of their names.
var gone, elsewhere = goneFlags(), elsewhereFlags()

func goneFlags() map[string]remedy {
	all := map[string]remedy{}
	remedies("", goneRows, all)
	return all
}

func elsewhereFlags() map[string]remedy {
	all := map[string]remedy{}
	for _, section := range txtar.Parse([]byte(elsewhereRows)).Files {
		remedies(section.Name, string(section.Data), all)
	}
	return all
}

func remedies(of, rows string, to map[string]remedy) {
	for row := range entries(rows) {
		names, do, _ := strings.Cut(row, ": ")
		for name := range strings.FieldsSeq(names) {
			to[plainName(name)] = remedy{name, of, do}
		}
	}
}

// plainName is a flag's name however it is spelled: --num_fewshot and --num-fewshot are one.
func plainName(flag string) string { return strings.ReplaceAll(strings.TrimLeft(flag, "-"), "_", "-") }

// givesFlag begins a remedy that is for commands with that flag.
var givesFlag = regexp.MustCompile(`^give --([\w-]+)`)

// Instead says what to do in the place of what was typed, a flag with its dashes or a file's key: of a flag that left, or that other
// programs have; nil where a command has the flag itself, or nothing is known.
func Instead(of *cli.Command, typed string) error {
	if flagOf(of, strings.TrimLeft(typed, "-")) != nil {
		return nil
	}
	if left, known := gone[plainName(typed)]; known {
		return fmt.Errorf("%s left this version: %s", Dashed(strings.TrimLeft(typed, "-")), left.do)
	}
	other, known := elsewhere[plainName(typed)]
	given := givesFlag.FindStringSubmatch(other.do)
	if !known || given != nil && flagOf(of, given[1]) == nil {
		return nil
	}
	return other.instead(typed)
}

func (r remedy) instead(typed string) error { return fmt.Errorf("%s is %s: %s", typed, r.of, r.do) }

// Lacks refuses a flag that a command does not have, with what to do instead, or with the one that may be meant.
func Lacks(of *cli.Command, name string) error {
	if err := Instead(of, Dashed(name)); err != nil || flagOf(of, name) != nil {
		return err
	}
	return noFlagOf(of, name)
}
