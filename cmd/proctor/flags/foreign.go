package flags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v4"

	"proctor/cmd/proctor/flags/taskconfig"
)

// takeForeign sets the flags that a file of evalscope's comes to, and keeps what was made of each of its names.
func (f *Config) takeForeign(c *cli.Context, document *yaml.Node) error {
	var names []string
	for _, flag := range c.Command.Flags {
		names = append(names, flag.Names()...)
	}
	settings, err := taskconfig.Read(document, names)
	if err != nil {
		return f.placed(err)
	}
	given := map[string]bool{"model": c.NArg() > 0}
	for _, name := range names {
		given[name] = given[name] || c.IsSet(name)
	}
	var taken, left []string
	by := map[string]taskconfig.Setting{}
	for _, s := range settings {
		if s.Flag == "" {
			left = append(left, fmt.Sprintf("%s (%s)", s.Key, s.Left))
			continue
		}
		if slices.ContainsFunc(append(s.Unless, s.Flag), func(name string) bool { return given[name] }) {
			continue
		}
		earlier, twice := by[s.Flag]
		switch {
		case twice && slices.Equal(earlier.Values, s.Values):
			continue
		case twice:
			return f.placed(&taskconfig.Error{Line: s.Line, Key: s.Key, Why: fmt.Sprintf("%s says --%s already, and otherwise", earlier.Key, s.Flag)})
		}
		by[s.Flag] = s
		if err := f.set(c, s.Flag, s.Values); err != nil {
			return f.placed(&taskconfig.Error{Line: s.Line, Key: s.Key, Why: err.Error()})
		}
		taken = append(taken, s.Key+": "+shown(s))
	}
	f.Taken = f.Path + " has evalscope's names: " + strings.Join(taken, "; ")
	if len(left) > 0 {
		f.Taken += "; left out: " + strings.Join(left, ", ")
	}
	return nil
}

// shown is a setting as people write it.
func shown(s taskconfig.Setting) string {
	var words []string
	for _, value := range s.Values {
		if words = append(words, "--"+s.Flag); value != "true" {
			words = append(words, value)
		}
	}
	return shellescape.QuoteCommand(words)
}

// placed names the line of a file that an error is of.
func (f *Config) placed(err error) error {
	if wrong := (*taskconfig.Error)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s:%d: %w", f.Path, wrong.Line, wrong)
	}
	return fmt.Errorf("%s: %w", f.Path, err)
}
