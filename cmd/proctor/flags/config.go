package flags

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v4"
)

// A Config is a file of flags in YAML or JSON, so that an evaluation can be checked in: limit: 1400, a line each. The command line
// overrides it.
type Config struct {
	Path  string
	print bool
	of    string   // key of the command's arguments, such as models; empty if the command has none
	args  []string // the file's arguments
}

// Arguments are the command's arguments or, if it has none, the file's.
func (f *Config) Arguments(c *cli.Context) []string {
	if c.NArg() > 0 {
		return c.Args().Slice()
	}
	return f.args
}

// Flags are --config and --print-config.
func (f *Config) Flags(w *Words, arguments string) []cli.Flag {
	f.of = arguments
	return []cli.Flag{w.Text("config", &f.Path), w.Switch("print-config", &f.print)}
}

// First sets the file's flags before anything else reads them.
func (f *Config) First(before cli.BeforeFunc) cli.BeforeFunc {
	return func(c *cli.Context) error {
		if f.Path != "" {
			if err := f.Take(c); err != nil {
				return err
			}
		}
		return before(c)
	}
}

// Take sets the flags that the file has and the command line does not give.
func (f *Config) Take(c *cli.Context) error {
	content, err := os.ReadFile(f.Path)
	if err != nil {
		return fmt.Errorf("--config %w", err)
	}
	var document, another yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(content))
	if err := documents.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("--config %s: neither YAML nor JSON: %w", f.Path, err)
	}
	if err := documents.Decode(&another); !errors.Is(err, io.EOF) {
		return fmt.Errorf("--config %s: more follows the first document: a file is of one command", f.Path)
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return fmt.Errorf("--config %s: a line for each flag is wanted, as in limit: 1400; `%s --print-config` prints them",
			f.Path, c.Command.HelpName)
	}
	pairs, seen := document.Content[0].Content, map[string]bool{}
	for i := 0; i < len(pairs); i += 2 {
		key, value := pairs[i], pairs[i+1]
		at := fmt.Sprintf("%s:%d", f.Path, key.Line)
		name := strings.TrimLeft(key.Value, "-")
		if err := Instead(c.Command, key.Value); err != nil && name != f.of {
			return fmt.Errorf("%s: %w", at, err)
		}
		if seen[name] {
			return fmt.Errorf("%s: %s stands there twice", at, key.Value)
		}
		seen[name] = true
		values, err := scalars(value)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", at, key.Value, err)
		}
		if f.of != "" && name == f.of {
			f.args = values
			continue
		}
		if err := f.set(c, name, values); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	return nil
}

// set sets a flag to its values, unless the command line gives it.
func (f *Config) set(c *cli.Context, name string, values []string) error {
	if name == "config" || name == "print-config" {
		return noFlagOf(c.Command, name)
	}
	if err := Lacks(c.Command, name); err != nil {
		return err
	}
	if c.IsSet(name) || name == "model" && c.NArg() > 0 {
		return nil
	}
	if _, several := valuesOf(c, name); !several {
		values = []string{strings.Join(values, ",")}
	}
	for _, value := range values {
		if err := c.Set(name, value); err != nil && strings.HasPrefix(err.Error(), Dashed(name)) { // the flag's own message
			return err
		} else if err != nil {
			return fmt.Errorf("%s: %s: it takes %s", name, value, taken(c, name))
		}
	}
	return nil
}

// scalars are a value, or the values of a list.
func scalars(node *yaml.Node) (values []string, err error) {
	switch {
	case node.Kind == yaml.SequenceNode:
		for _, each := range node.Content {
			if each.Kind != yaml.ScalarNode {
				return nil, errors.New("a list is of values")
			}
			values = append(values, each.Value)
		}
		return values, nil
	case node.Kind != yaml.ScalarNode || node.Tag == "!!null":
		return nil, errors.New("a value is missing, or a list of them")
	}
	return []string{node.Value}, nil
}

// Print prints the flags as a file, with the absent ones as comments; done says that it did. Flags that a journal
// gives, and not the call, are in holds.
func (f *Config) Print(w io.Writer, c *cli.Context, holds map[string][]string) (done bool, err error) {
	if !f.print {
		return false, nil
	}
	document := &yaml.Node{Kind: yaml.MappingNode}
	add := func(name string, values []string, several bool) {
		value := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, text := range values {
			node := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
			var plain any
			if err := yaml.Unmarshal([]byte(text), &plain); err == nil && plain == nil { // such as null and ~
				node.Style = yaml.SingleQuotedStyle
			}
			value.Content = append(value.Content, node)
		}
		if !several {
			value = value.Content[0]
		}
		document.Content = append(document.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, value)
	}
	if args := f.Arguments(c); f.of != "" && len(args) > 0 {
		add(f.of, args, true)
	}
	var others strings.Builder
	for _, flag := range c.Command.Flags {
		name := flag.Names()[0]
		switch {
		case slices.Contains([]string{"config", "print-config", "resume", "help"}, name):
		case c.IsSet(name) || holds[name] != nil:
			values, several := valuesOf(c, name)
			if len(values) == 0 {
				values = []string{""}
			}
			add(name, values, several)
		default:
			_, _, usage := labelled(flag.(cli.DocGenerationFlag))
			fmt.Fprintf(&others, "# %s:  # %s\n", name, usage)
		}
	}
	if len(document.Content) > 0 {
		given, err := yaml.Marshal(document)
		if err != nil {
			return true, err
		}
		if _, err := w.Write(given); err != nil {
			return true, err
		}
	}
	_, err = io.WriteString(w, others.String())
	return true, err
}

// valuesOf are a flag's values.
func valuesOf(c *cli.Context, name string) (values []string, several bool) {
	switch value := c.Generic(name).(type) {
	case field:
		if values = value.Texts(); len(values) > 1 && values[0] == "" { // an empty first value marks the flag as given
			values = values[1:]
		}
		return values, value.Several
	case *Texts:
		return *value, true
	}
	if list, ok := c.Value(name).(cli.StringSlice); ok {
		return list.Value(), true
	}
	return []string{fmt.Sprint(c.Value(name))}, false
}
