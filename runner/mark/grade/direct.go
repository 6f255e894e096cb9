package grade

import (
	"strings"
	"unicode"
)

// Direct is the rule set of the tasks' direct variants, the only one that marks them: see [onlyLetter].
const Direct = "direct"

// onlyLetter takes a completion that is a capital, with at most what is no letter and no digit before it, as the token " (A" has:
// the likeliest letter.
var onlyLetter = Rule{"only-letter", func(text string, _ int) (Match, bool) {
	at := strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	if at < 0 || at != len(text)-1 || text[at] < 'A' || text[at] > 'Z' {
		return Match{}, false
	}
	return bare(text, at), true
}}
