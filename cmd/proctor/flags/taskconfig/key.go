package taskconfig

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// A key is one of the file, with what stands there.
type key struct {
	name string
	path string // as in generation_config.top_p
	line int
	node *yaml.Node
}

// below are those of a mapping; none of another node.
func (k key) below() []key {
	var keys []key
	for i := 0; k.node.Kind == yaml.MappingNode && i+1 < len(k.node.Content); i += 2 {
		name := k.node.Content[i].Value
		keys = append(keys, key{name, strings.TrimPrefix(k.path+"."+name, "."), k.node.Content[i].Line, k.node.Content[i+1]})
	}
	return keys
}

func (k key) wrong(why string) error { return &Error{k.line, k.path, why} }

// empty says whether nothing stands there: null, an empty text, list or mapping.
func (k key) empty() bool {
	return k.node == nil || k.node.Tag == "!!null" || k.node.Kind == yaml.ScalarNode && k.node.Value == "" ||
		k.node.Kind != yaml.ScalarNode && len(k.node.Content) == 0
}

// value is the one that stands there.
func (k key) value() (string, error) {
	if k.node.Kind != yaml.ScalarNode {
		return "", k.wrong("one value is wanted")
	}
	return k.node.Value, nil
}

// values are the one that stands there, or those of a list.
func (k key) values() ([]string, error) {
	if k.node.Kind == yaml.ScalarNode {
		return []string{k.node.Value}, nil
	}
	var all []string
	for _, each := range k.node.Content {
		if k.node.Kind != yaml.SequenceNode || each.Kind != yaml.ScalarNode {
			return nil, k.wrong("a value or a list of them is wanted")
		}
		all = append(all, each.Value)
	}
	return all, nil
}
