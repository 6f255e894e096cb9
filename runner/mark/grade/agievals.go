package grade

import (
	"strings"
	"unicode/utf8"
)

// answerLine takes the last line of the form "Answer: X", also "Final answer: X". There a small letter counts if it
// is all that the line gives. A line that names two letters settles that there is none.
var answerLine = Rule{"answer-line", func(text string, options int) (m Match, found bool) {
	begin := 0
	for line := range strings.Lines(text) {
		start := begin
		begin += len(line)
		given, ok := afterAnswer(line)
		if !ok {
			continue
		}
		rest := text[begin-len(given):]
		letter, after, ok := readAnswer(given, last(options))
		if ok {
			m, found = to(text, start, letter, rest[len(given)-len(after):]), true
			continue
		}
		const around = markup + openers + closers + stops + " \t\r\n"
		inside := strings.TrimLeft(given, around)
		if alone := strings.TrimRight(inside, around); len(alone) == 1 {
			if letter, _, ok := readAnswer("("+alone+")", last(options)); ok {
				m, found = to(text, start, letter, rest[len(given)-len(inside)+1:]), true
			}
		}
	}
	return m, found
}}

// afterAnswer returns what follows "Answer:" at the start of a line.
func afterAnswer(line string) (string, bool) {
	const lead = markup + "#>-• \t"
	line = strings.TrimLeft(line, lead)
	for _, word := range []string{"the ", "my ", "final ", "correct "} {
		if rest, ok := cutFold(line, word); ok {
			line = rest
		}
	}
	rest, ok := cutFold(line, "answer")
	if !ok {
		return "", false
	}
	return afterColon(rest)
}

// afterColon returns what follows a colon, ASCII or full-width, at the start of s; markup and spaces may precede it.
func afterColon(s string) (string, bool) {
	s = strings.TrimLeft(s, markup+" \t")
	if rest, ok := strings.CutPrefix(s, ":"); ok {
		return rest, true
	}
	return strings.CutPrefix(s, "：")
}

// nearEnd is how many bytes count as the end of a completion: a closing sentence or two.
const nearEnd = 200

// parenthesised takes the last "(X)" near the end.
var parenthesised = Rule{"parenthesised", func(text string, options int) (Match, bool) {
	text = strings.TrimRightFunc(text, isSpace)
	for i := len(text) - 1; i >= max(0, len(text)-nearEnd); i-- {
		if !within(text[i], options) {
			continue
		}
		before := strings.TrimRight(text[:i], " "+markup)
		after := strings.TrimLeft(text[i+1:], " "+markup)
		if endsIn(before, "(（") && beginsWith(after, ")）") {
			return bare(text, i), true
		}
	}
	return Match{}, false
}}

// standalone takes the last capital that is a word of its own. A and I are also English words, so they count only where they stand
// apart: alone on their line, wrapped, or starting their line like an option.
var standalone = Rule{"standalone", func(text string, options int) (Match, bool) {
	for i := len(text) - 1; i >= 0; i-- {
		c := text[i]
		if !within(c, options) || wordBefore(text, i) || wordAfter(text, i+1) || joined(text[i+1:]) || endsIn(text[:i], "-'’") {
			continue
		}
		if c != 'A' && c != 'I' || setApart(text, i) {
			return bare(text, i), true
		}
	}
	return Match{}, false
}}

func setApart(text string, i int) bool {
	if endsIn(text[:i], brackets) && beginsWith(text[i+1:], closers+markup) {
		return true
	}
	const blank = markup + openers + " \t"
	before := strings.TrimRight(text[:i], blank)
	if before != "" && !endsIn(before, "\n") {
		return false
	}
	after := strings.TrimLeft(text[i+1:], blank+closers+stops+"\r")
	return beginsWith(text[i+1:], ".):）：") || after == "" || beginsWith(after, "\n")
}

func endsIn(s, runes string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return size > 0 && strings.ContainsRune(runes, r)
}

func beginsWith(s, runes string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && strings.ContainsRune(runes, r)
}
