package grade

import "strings"

// Direct is the rule set of the tasks' direct variants, the only one that marks them: see [onlyLetter].
const Direct = "direct"

// onlyLetter takes a completion that is one capital and nothing else but white space: the likeliest letter.
var onlyLetter = Rule{"only-letter", func(text string, _ int) (Match, bool) {
	letter := strings.TrimSpace(text)
	if len(letter) != 1 || letter[0] < 'A' || letter[0] > 'Z' {
		return Match{}, false
	}
	return bare(text, strings.Index(text, letter)), true
}}
