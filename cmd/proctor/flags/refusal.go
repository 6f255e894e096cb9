package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// A Refusal is a row of a command's table of flags that do not go together. Names of flags stand with spaces between.
type Refusal struct {
	Flags   string      // each of them is refused
	With    string      // where one of these is given,
	Without string      // or none of these,
	When    func() bool // or where this holds of what the flags were given
	Why     string      // follows the flag's name; empty: it goes with the first of Without
}

// Refusing looks for refusals before a command begins.
func Refusing(table ...[]Refusal) cli.BeforeFunc {
	return func(c *cli.Context) error {
		for _, row := range slices.Concat(table...) {
			for flag := range strings.FieldsSeq(row.Flags) {
				if c.IsSet(flag) && row.holds(c.IsSet) {
					return fmt.Errorf("%s %s", Dashed(flag), row.why())
				}
			}
		}
		return nil
	}
}

func (r Refusal) holds(given func(flag string) bool) bool {
	switch {
	case r.With != "":
		return slices.ContainsFunc(strings.Fields(r.With), given)
	case r.Without != "":
		return !slices.ContainsFunc(strings.Fields(r.Without), given)
	}
	return r.When()
}

func (r Refusal) why() string {
	if r.Why == "" {
		return "goes with " + Dashed(strings.Fields(r.Without)[0])
	}
	return r.Why
}
