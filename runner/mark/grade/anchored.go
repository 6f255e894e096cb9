package grade

import (
	"regexp"
	"strings"
)

// lastAnchored takes the last letter that is announced as the answer: "the answer is (C)", "Answer: **C**",
// "the correct option is C", "\boxed{C}". An announcement of two letters settles that there is none.
var lastAnchored = Rule{"last-anchored", func(text string, options int) (Match, bool) {
	return announced(text, last(options), anchorAt, func(byte) bool { return false })
}}

// theAnswerIs takes the letter of the last "the answer is (A)", firstAnswerIs the letter of the first.
var (
	theAnswerIs = Rule{"the-answer-is", func(text string, options int) (Match, bool) {
		return announced(text, last(options), theAnswer, func(byte) bool { return false })
	}}
	firstAnswerIs = Rule{"first-answer-is", func(text string, options int) (Match, bool) {
		m, _ := announced(text, last(options), theAnswer, func(letter byte) bool { return within(letter, options) })
		return m, within(m.Letter, options)
	}}
)

func theAnswer(text string) (after string, ok bool) { return cutFold(text, "the answer is") }

// announced takes the letter of the last announcement that has one, or of the first whose letter settles the answer; at returns what
// follows an announcement at the start of its text.
func announced(text string, last byte, at func(text string) (after string, ok bool), settles func(letter byte) bool) (
	m Match, found bool,
) {
	for i := range len(text) {
		if found && settles(m.Letter) {
			break
		}
		after, ok := at(text[i:])
		if !ok {
			continue
		}
		if rest, ok := afterColon(after); ok {
			after = rest
		}
		after = skipFiller(after)
		letter, rest, ok := readAnswer(after, last)
		if !ok && lastWord.MatchString(after) && after[0] <= last|0x20 {
			letter, rest, ok = after[0]-'a'+'A', after[1:], true
		}
		if ok {
			m, found = to(text, i, letter, rest), true
		}
	}
	return m, found
}

// lastWord matches a small letter without wrappers where its sentence or its line ends: "the answer is b.", not "a dog".
var lastWord = regexp.MustCompile(`^[a-z](?:\.?[ \t\r]*(?:\n|$)|\.[ \t\r])`)

// anchorAt returns what follows an anchor at the start of text.
func anchorAt(text string) (after string, ok bool) {
	if after, ok = strings.CutPrefix(text, `\boxed`); ok {
		return after, true
	}
	switch text[0] | 0x20 { // to small letters
	case 'a':
		after, ok = cutFold(text, "answer")
	case 'o':
		after, ok = cutFold(text, "option")
	case 'c':
		after, ok = cutFold(text, "choice")
	}
	if !ok {
		return "", false
	}
	if rest, ok := afterColon(after); ok && text[0]|0x20 == 'a' {
		return rest, true
	}
	rest, ok := cutFold(strings.TrimLeft(after, markup+" "), "is")
	return rest, ok && !wordAfter(rest, 0)
}

// skipFiller drops words that may come between an announcement and its letter.
func skipFiller(s string) string {
	for {
		s = strings.TrimLeftFunc(s, isSpace)
		before := s
		for _, word := range []string{"most ", "likely ", "probably ", "clearly ", "indeed ", "option ", "choice ", "letter "} {
			if rest, ok := cutFold(s, word); ok {
				s = rest
				break
			}
		}
		if s == before {
			return s
		}
	}
}
