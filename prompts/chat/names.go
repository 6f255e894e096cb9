package chat

import (
	"regexp"
	"strings"
)

const quoted = `'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`

var (
	// tags are the comments, expressions and statements of a template.
	tags = regexp.MustCompile(`(?s)\{#.*?#\}|\{[{%](?:` + quoted + `|[^'"])*?[%}]\}`)
	// quotes are the texts in a tag.
	quotes = regexp.MustCompile(`(?s)` + quoted)
	// words are the names in a tag, each with what makes it an attribute before it, and what sets it behind it.
	words = regexp.MustCompile(`(\.\s*)?\b([A-Za-z_]\w*)(\s*==?)?`)
)

// namesIn are the variables that a template may read: all names in its tags but those of attributes and those that are only set.
func namesIn(source string) map[string]bool {
	names := map[string]bool{}
	for _, each := range tags.FindAllString(source, -1) {
		if strings.HasPrefix(each, "{#") {
			continue
		}
		for _, found := range words.FindAllStringSubmatch(quotes.ReplaceAllString(each, "''"), -1) {
			if found[1] == "" && strings.TrimSpace(found[3]) != "=" {
				names[found[2]] = true
			}
		}
	}
	return names
}
