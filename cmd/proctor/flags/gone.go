package flags

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

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
