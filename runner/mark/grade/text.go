package grade

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// within says whether a letter is one of a question's.
func within(letter byte, options int) bool {
	return 'A' <= letter && letter <= 'Z' && int(letter-'A') < options
}

// last is the last letter to look for: J, as in the harnesses for MMLU-Pro, or the letter of the question's last option if it has more.
func last(options int) byte { return max('J', 'A'+byte(options)-1) }

// isWord says whether Python's \w matches r. The reference harnesses are written in Python, and Go's \b knows ASCII
// only, so it would find a letter inside "é" + "A".
func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

// wordBefore and wordAfter say whether a word character touches text[i] on that side.
func wordBefore(text string, i int) bool {
	r, size := utf8.DecodeLastRuneInString(text[:i])
	return size > 0 && isWord(r)
}

func wordAfter(text string, i int) bool {
	r, size := utf8.DecodeRuneInString(text[i:])
	return size > 0 && isWord(r)
}

// skipSpace returns the index of the first character at or after i that Python's \s does not match.
func skipSpace(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isSpace(r) {
			return i
		}
		i += size
	}
	return i
}

func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// cutFold is strings.CutPrefix for a lower-case prefix in any case, which has as many bytes in all of them.
func cutFold(s, prefix string) (after string, found bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return "", false
	}
	return s[len(prefix):], true
}
