package recount

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const edge = markup + opening + closing + stops + ` \t\r\n`

var (
	answerLine = regexp.MustCompile(`^[` + markup + `#>\-• \t]*` + folded("(?:the )?(?:my )?(?:final )?(?:correct )?answer") +
		colon + `((?s:.*))$`)
	alone      = regexp.MustCompile(`^[` + edge + `]*([A-Za-z])[` + edge + `]*$`)
	inBrackets = regexp.MustCompile(`[(（][ ` + markup + `]*([A-Z])[ ` + markup + `]*[)）]`)
	capital    = regexp.MustCompile(`[A-Z]`)
	before     = regexp.MustCompile(`[\pL\pN_\-'’]$`)
	opened     = regexp.MustCompile(`[` + opening + markup + `]$`)
	blank      = regexp.MustCompile(`^[` + markup + opening + ` \t]*$`)
	heads      = regexp.MustCompile(`^(?:[.):）：]|[` + markup + opening + closing + stops + ` \t\r]*(?:\n|$))`)
	trailing   = regexp.MustCompile(`[` + space + `]+$`)
)

// agiEvals takes the last answer line's letter, else the last one in round brackets that begins in the last 200 bytes or so, else
// the last capital that is a word of its own: A and I only where they are set apart.
func agiEvals(text, letters string) string {
	letter, settled := "", false
	for _, line := range strings.SplitAfter(text, "\n") {
		m := answerLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if named, found := answer(m[1], letters); found {
			letter, settled = named, true
		} else if only := group(alone, m[1]); only != "" {
			if named, found := answer("("+only+")", letters); found {
				letter, settled = named, true
			}
		}
	}
	if settled {
		return letter
	}
	end := len(trailing.ReplaceAllString(text, ""))
	for _, at := range inBrackets.FindAllStringSubmatchIndex(text, -1) {
		if x := text[at[2]:at[3]]; at[2] >= end-200 && strings.Contains(letters, x) {
			letter = x
		}
	}
	if letter != "" {
		return letter
	}
	for _, at := range capital.FindAllStringIndex(text, -1) {
		x, after := text[at[0]:at[1]], text[at[1]:]
		_, size := utf8.DecodeLastRuneInString(text[:at[0]])
		last := text[at[0]-size : at[0]]
		if !strings.Contains(letters, x) || before.MatchString(last) || inWord.MatchString(after) || tied.MatchString(after) {
			continue
		}
		line := text[strings.LastIndex(text[:at[0]], "\n")+1 : at[0]]
		apart := opened.MatchString(last) && closed.MatchString(after) || blank.MatchString(line) && heads.MatchString(after)
		if x != "A" && x != "I" || apart {
			letter = x
		}
	}
	return letter
}
