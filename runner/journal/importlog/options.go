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

// letteredBy are the ways to put a letter before an option; %s is the letter.
var letteredBy = func() [][]*regexp.Regexp {
	var ways [][]*regexp.Regexp
	for _, way := range []string{`\(%s\):?`, `%s[.):]`} {
		var letters []*regexp.Regexp
		for i := range journal.MaxOptions {
			letters = append(letters, regexp.MustCompile(`(?:^|\s)`+strings.Replace(way, "%s", letter(i), 1)+`\s*`))
		}
		ways = append(ways, letters)
	}
	return ways
}()

func splitLettered(text string) []string {
	for _, letters := range letteredBy {
		var options []string
		rest := text
		for _, letter := range letters {
			at := letter.FindStringIndex(rest)
			if at == nil {
				break
			}
			options = append(options, strings.TrimSpace(rest[:at[0]]))
			rest = rest[at[1]:]
		}
		if options != nil {
			return append(options[1:], strings.TrimSpace(rest)) // what is before the first letter is no option
		}
	}
	return nil
}
