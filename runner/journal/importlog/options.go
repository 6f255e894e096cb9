package importlog

import (
	"encoding/json"
	"regexp"
	"strings"

	"proctor/runner/journal"
)

// splitOptions takes apart options that a log has as one text: a JSON list, a Python list, or letters before the
// options as in "A. red B. blue", "(A): red\n(B): blue" or "A) red". It returns none if it knows no way.
func splitOptions(text string) []string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "[") {
		var options []string
		if json.Unmarshal([]byte(text), &options) == nil {
			return options
		}
		return splitPython(text)
	}
	return splitLettered(text)
}

// pythonText matches a Python text literal in either kind of quotes.
var pythonText = regexp.MustCompile(`(?s)^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(,\s*|\])`)

var pythonEscapes = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`, `\n`, "\n", `\t`, "\t", `\r`, "\r")

func splitPython(list string) []string {
	var options []string
	rest := strings.TrimSpace(list[1:])
	for {
		m := pythonText.FindStringSubmatch(rest)
		if m == nil {
			return nil
		}
		options = append(options, pythonEscapes.Replace(m[1]+m[2]))
		rest = rest[len(m[0]):]
		if m[3] == "]" {
			return options
		}
	}
}

// lettered are ways to put a letter before an option, by letter; in a way's pattern %s is the letter.
func lettered(ways ...string) (all [][]*regexp.Regexp) {
	for _, way := range ways {
		letters := make([]*regexp.Regexp, journal.MaxOptions)
		for i := range letters {
			letters[i] = regexp.MustCompile(strings.Replace(way, "%s", letter(i), 1))
		}
		all = append(all, letters)
	}
	return all
}

// cutAt cuts a text at the letters, each behind the one before, until one is missing.
func cutAt(letters []*regexp.Regexp, text string) (parts []string) {
	for _, letter := range letters {
		at := letter.FindStringIndex(text)
		if at == nil {
			break
		}
		parts, text = append(parts, text[:at[0]]), text[at[1]:]
	}
	return append(parts, text)
}

var inText = lettered(`(?:^|\s)\(%s\):?\s*`, `(?:^|\s)%s[.):]\s*`)

func splitLettered(text string) []string {
	for _, letters := range inText {
		if parts := cutAt(letters, text); len(parts) > 1 {
			for i, part := range parts {
				parts[i] = strings.TrimSpace(part)
			}
			return parts[1:] // before the first letter there is no option
		}
	}
	return nil
}
