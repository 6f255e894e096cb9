package options

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/words"
)

// extraBodyFlag has servers get what proctor does not send them.
func extraBodyFlag(to **registry.Body) cli.Flag {
	return words.Shared.Read("extra-body", func(text string) (err error) {
		path, isFile := strings.CutPrefix(text, "@")
		where := "--extra-body"
		if isFile {
			if text, err = readText(path); err != nil {
				return fmt.Errorf("--extra-body: %w: what follows @ is a file with a JSON object", err)
			}
			where += " " + path
		}
		if *to, err = registry.ParseBody([]byte(text), !isFile); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		return nil
	})
}
