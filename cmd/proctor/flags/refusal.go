package flags

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
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

// gone are the flags that left, each with what to do instead. A flag that a command still has is not looked for here.
var gone = readGone(goneRows)

func readGone(rows string) map[string]string {
	instead := map[string]string{}
	for row := range entries(rows) {
		names, what, _ := strings.Cut(row, ": ")
		for name := range strings.FieldsSeq(names) {
			instead[name] = what
		}
	}
	return instead
}

// Lacks refuses a flag that a command does not have: one that left with what to do instead, others with the one that may be meant.
func Lacks(of *cli.Command, name string) error {
	switch instead := gone[name]; {
	case flagOf(of, name) != nil:
		return nil
	case instead != "":
		return fmt.Errorf("%s left this version: %s", Dashed(name), instead)
	}
	return noFlagOf(of, name)
}
