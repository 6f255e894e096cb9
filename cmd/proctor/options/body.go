package options

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
)

// extraBodyFlag has servers get what proctor does not send them.
func extraBodyFlag(to **registry.Body) cli.Flag {
	return flags.Read("extra-body", "SERVERS", "", "send openai: servers the fields of `JSON`, or of @FILE, with each request too",
		func(text string) (err error) {
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
