package chat

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Arguments are variables that a person gives a template, by name. Their values are those of JSON, with numbers as
// json.Number.
type Arguments map[string]any

// reserved are the variables that Render gives a template itself.
var reserved = []string{"messages", "bos_token", "eos_token", "add_generation_prompt", "raise_exception",
	"strftime_now"}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ParseArguments reads NAME=VALUE texts. A value that is JSON keeps its JSON type, as in false or 3; any other value is
// a text.
func ParseArguments(texts []string) (Arguments, error) {
	all := Arguments{}
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		_, twice := all[name]
		switch {
		case !found || !identifier.MatchString(name):
			return nil, fmt.Errorf("%s: give NAME=VALUE, as in enable_thinking=false or reasoning_effort=low", text)
		case slices.Contains(reserved, name):
			return nil, fmt.Errorf("%s: proctor sets %s itself, so leave it out", text, name)
		case twice:
			return nil, fmt.Errorf("%s: %s is given twice: give it once", text, name)
		}
		all[name] = argument(value)
	}
	return all, nil
}

// argument returns the value of a text: parsed JSON, or else the text itself.
func argument(text string) any {
	reader := json.NewDecoder(strings.NewReader(text))
	reader.UseNumber()
	var value any
	if reader.Decode(&value) != nil || reader.More() {
		return text
	}
	return value
}

// JSON is an object of the arguments, ordered by name; nil for none.
func (a Arguments) JSON() json.RawMessage {
	if len(a) == 0 {
		return nil
	}
	text, _ := json.Marshal(a) // of nothing but JSON's own values
	return text
}

// ignored names an argument that the template does not read; empty where it reads all of them.
func (t *Template) ignored(a Arguments) string {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !t.parsed.Reads(name) {
			return name
		}
	}
	return ""
}

// An ArgumentError is an argument that a template does not read.
type ArgumentError struct {
	Template string // which one, for people
	Name     string // of the argument
}

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("%s reads no variable %s: check its spelling, or leave it out", e.Template, e.Name)
}
