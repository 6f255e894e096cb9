package grade

import (
	"strings"
	"unicode"
)

// Direct is the rule set of the tasks' direct variants, the only one that marks them: see [onlyLetter].
const Direct = "direct"

// onlyLetter takes a completion that is one capital, the likeliest letter of a direct item. Only characters other than letters and
// digits may precede it, as in the token " (A".
var onlyLetter = Rule{"only-letter", func(text string, _ int) (Match, bool) {
	at := strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	if at < 0 || at != len(text)-1 || text[at] < 'A' || text[at] > 'Z' {
		return Match{}, false
	}
	return bare(text, at), true
}}
