package console

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends/engines"
	"proctor/backends/registry"
	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/runner/journal"
)

// Showing has a model's notes and warnings shown to people.
func Showing(p *Program) registry.Options {
	return registry.Options{Engines: KeptEngines(), Warn: p.Warn, Note: p.Note, Draw: p.Draw()}
}

// Models are the models that a command's arguments name, or --model, each with its complete name.
func Models(c *cli.Context, arguments []string) ([]string, error) {
	given := arguments
	switch {
	case len(given) == 0:
		given = []string{c.String("model")}
	case c.IsSet("model"):
		return nil, fmt.Errorf("%s takes its MODEL once: %s as --model, or %s as the argument", c.Command.Name, c.String("model"),
			setting.Command(given...))
	}
	var refs []string
	for _, typed := range given {
		if _, err := journal.HeaderOf(typed); len(arguments) > 0 && err == nil {
			return nil, fmt.Errorf("%s is a run, not a model; to resume it: proctor run --resume %s", typed, setting.Command(typed))
		}
		ref := registry.WithScheme(typed, c.IsSet("servers"))
		if slices.Contains(refs, ref) {
			return nil, fmt.Errorf("%s is named twice", typed)
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// KeptEngines is the store of this machine's engines.
func KeptEngines() (s engines.Store) {
	if data, err := dataset.Folder(); err == nil {
		s.Folder = filepath.Join(data, "engines")
	}
	return s
}
