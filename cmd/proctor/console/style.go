package console

import (
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/spec"
)

// RulesFlag has answers found by another rule set: to gets its name, or the text of a file.
func RulesFlag(w *flags.Words, to *string) cli.Flag {
	return w.Read("rules", func(ref string) error {
		var rules spec.Rules
		err := rules.Set(ref)
		*to = rules.String()
		return spec.Wrong("rules", ref, err)
	})
}
