package taskconfig

import (
	"fmt"
	"maps"
	"slices"

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
	for _, k := range keysOf("", document) {
		if _, known := top[k.name]; known && !slices.Contains(ownNames, k.name) {
			return true
		}
	}
	return false
}

// Read reads a file that [Is] one, for a command with flags of these names, which may be keys too.
func Read(document *yaml.Node, flags []string) ([]Setting, error) {
	c := &config{args: map[string][]key{}}
	keys := keysOf("", document)
	c.survey(keys)
	for _, k := range keys {
		act, known := top[k.name]
		if !known && slices.Contains(flags, k.name) {
			act, known = flagged(k.name), true
		}
		if !known {
			return nil, k.wrong("there is no such name: it has " + list(top))
		}
		if err := c.take(k, act); err != nil {
			return nil, err
		}
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
	dataset  key              // its only set
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
			for _, g := range keysOf(k.path+".", k.node) {
				zero := g.name == "temperature" && (g.node.Value == "0" || g.node.Value == "0.0")
				c.greedy = c.greedy || zero || g.name == "do_sample" && g.node.Value == "false"
			}
		}
	}
}

// take has an action done with a key, unless it is empty: the file that evalscope writes has all its names.
func (c *config) take(k key, act action) error {
	if k.empty() {
		return nil
	}
	return act(c, k)
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
		if !slices.ContainsFunc(c.settings, func(s Setting) bool { return s.Flag == flag[0] }) {
			c.settings = append(c.settings, Setting{Line: line, Key: "prompts", Flag: flag[0], Values: []string{flag[1]}, Unless: []string{"tasks", "direct"}})
		}
	}
}

// arguments are those of the one set.
func (c *config) arguments() error {
	for _, name := range slices.Sorted(maps.Keys(c.args)) {
		for _, k := range c.args[name] {
			if name != c.dataset.node.Value {
				return k.wrong(fmt.Sprintf("datasets has %q alone", c.dataset.node.Value))
			}
			act, known := ofDataset[k.name]
			if !known {
				return k.wrong("there is no such argument here: there are " + list(ofDataset))
			}
			if err := c.take(k, act); err != nil {
				return err
			}
		}
	}
	return nil
}
