// Package taskconfig reads the TaskConfig of evalscope, as YAML or JSON has it, into flags of run. It knows evalscope's names, and
// refuses by name what has none here; no flag is set.
//
// Such a file asks as evalscope does: in its style, with the model's chat template where it has one, and with its limit, which takes
// the first questions of each subject. The task_config.yaml that evalscope writes beside its results is one.
package taskconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A Setting is a key of the file as a flag, or a key that says nothing here.
type Setting struct {
	Line   int
	Key    string   // as in generation_config.top_p
	Flag   string   // without dashes; empty where the key is left out
	Values []string // several of a flag that can be given several times
	Unless []string // not set where the command line gives one of these, or Flag
	Left   string   // why the key is left out
}

// An Error is of a key of the file.
type Error struct {
	Line int
	Key  string
	Why  string
}

func (e *Error) Error() string { return fmt.Sprintf("evalscope's %s: %s", e.Key, e.Why) }

// ownNames are what flags of run are called too, and tell nothing of whose a file is.
var ownNames = []string{"model", "limit", "seed", "repeats", "timeout", "debug"}

// Is says whether a file is a TaskConfig: whether one of its keys is what evalscope alone has.
func Is(document *yaml.Node) bool {
	return slices.ContainsFunc(key{node: document}.below(), func(k key) bool {
		_, known := top[k.name]
		return known && !slices.Contains(ownNames, k.name)
	})
}

// Read reads a file that [Is] one, for a command with flags of these names, which may be keys too.
func Read(document *yaml.Node, flags []string) ([]Setting, error) {
	c := &config{args: map[string][]key{}}
	keys := key{node: document}.below()
	c.survey(keys)
	if err := c.takeAll(keys, top, "there is no such name: it has ", flags...); err != nil {
		return nil, err
	}
	if err := c.arguments(); err != nil {
		return nil, err
	}
	c.asItAsks(document.Line)
	return c.settings, nil
}

// A config is what is read so far.
type config struct {
	settings []Setting
	dataset  string           // its only set
	args     map[string][]key // of dataset_args, by the set's name
	served   bool             // a server has the model
	greedy   bool             // how tokens are drawn has no meaning
}

// survey looks for what other keys depend on.
func (c *config) survey(keys []key) {
	for _, k := range keys {
		switch k.name {
		case "api_url":
			c.served = c.served || !k.empty()
		case "eval_type":
			c.served = c.served || slices.Contains([]string{"openai_api", "server"}, k.node.Value)
		case "generation_config":
			for _, g := range k.below() {
				zero := g.name == "temperature" && (g.node.Value == "0" || g.node.Value == "0.0")
				c.greedy = c.greedy || zero || g.name == "do_sample" && g.node.Value == "false"
			}
		}
	}
}

// takeAll does with each key what its name says, which may be a flag's too, unless it is empty: the file that evalscope writes has all
// its names.
func (c *config) takeAll(keys []key, names map[string]name, unknown string, flags ...string) error {
	for _, k := range keys {
		n, known := names[k.name]
		if !known && slices.Contains(flags, k.name) {
			n, known = name{"flag", k.name}, true
		}
		switch {
		case !known:
			return k.wrong(unknown + strings.Join(slices.Sorted(maps.Keys(names)), ", "))
		case k.empty():
			continue
		}
		if err := actions[n.does](c, k, n.of); err != nil {
			return err
		}
	}
	return nil
}

// of is the setting of a flag, if there is one yet.
func (c *config) of(flag string) *Setting {
	if i := slices.IndexFunc(c.settings, func(s Setting) bool { return s.Flag == flag }); i >= 0 {
		return &c.settings[i]
	}
	return nil
}

// set adds a flag.
func (c *config) set(k key, flag string, values ...string) {
	c.settings = append(c.settings, Setting{Line: k.line, Key: k.path, Flag: flag, Values: values})
}

// left adds a key that says nothing here.
func (c *config) left(k key, why string) {
	c.settings = append(c.settings, Setting{Line: k.line, Key: k.path, Left: why})
}

// asItAsks has questions asked in evalscope's style.
func (c *config) asItAsks(line int) {
	for _, flag := range [][2]string{{"style", "evalscope"}, {"prompt", "auto"}} {
		if c.of(flag[0]) == nil {
			c.settings = append(c.settings, Setting{Line: line, Key: "prompts", Flag: flag[0], Values: []string{flag[1]}, Unless: []string{"tasks", "direct"}})
		}
	}
}

// arguments are those of the one set.
func (c *config) arguments() error {
	for _, set := range slices.Sorted(maps.Keys(c.args)) {
		if keys := c.args[set]; len(keys) > 0 && set != c.dataset {
			return keys[0].wrong(fmt.Sprintf("datasets has %q alone", c.dataset))
		}
		if err := c.takeAll(c.args[set], ofDataset, "there is no such argument here: there are "); err != nil {
			return err
		}
	}
	return nil
}
