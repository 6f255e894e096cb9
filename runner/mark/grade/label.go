package grade

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What may stand around a letter that names an option: markup, quotes, brackets of several scripts, LaTeX.
const (
	markup   = "*_`~\"'“”‘’$"
	openers  = "([{<（［【｛〈《「『"
	closers  = ")]}>）］】｝〉》」』"
	stops    = ".,;:!?。，；：！？"
	brackets = openers + markup
)

var latex = []string{`\boxed{`, `\fbox{`, `\text{`, `\textbf{`, `\mathrm{`, `\mathbf{`, `\(`, `\[`}

// readLabel reads an option's letter, up to last, at the start of s, with its wrapping. A capital needs no wrapping, but must be a word of its
// own: not "Because", "B-cell" or "I'm", nor the I of "I think". A small letter counts only directly between wrappers, as in "(c)" or "**c**".
// rest is the text after the letter.
func readLabel(s string, last byte) (letter byte, rest string, ok bool) {
	body := unwrap(s)
	if body == "" {
		return 0, "", false
	}
	letter, rest = body[0], body[1:]
	next, _ := utf8.DecodeRuneInString(rest)
	if 'a' <= letter && letter <= last|0x20 {
		wrapped := strings.TrimSpace(s[:len(s)-len(body)]) != ""
		closed := rest != "" && strings.ContainsRune(closers+markup, next)
		return letter - 'a' + 'A', rest, wrapped && closed && !joined(rest)
	}
	if letter < 'A' || letter > last || isWord(next) || joined(rest) {
		return 0, "", false
	}
	return letter, rest, letter != 'I' || !proseFollows(rest)
}

// readAnswer is readLabel for an announcement: the letter is 0 where it names several.
func readAnswer(s string, last byte) (letter byte, rest string, ok bool) {
	letter, rest, ok = readLabel(s, last)
	if ok && severalNamed(rest, last) {
		letter = 0
	}
	return letter, rest, ok
}

// unwrap drops spaces, markup, opening brackets and LaTeX commands from the start of s, up to as many layers as an
// answer could have: endless ones would be read again from each of them on.
func unwrap(s string) string {
	const layers = 8
	for range layers {
		t := strings.TrimLeftFunc(s, func(r rune) bool { return isSpace(r) || strings.ContainsRune(brackets, r) })
		for _, command := range latex {
			t = strings.TrimPrefix(t, command)
		}
		if len(t) == len(s) {
			break
		}
		s = t
	}
	return s
}

// joined says whether rest, which follows a letter, continues the word: "'m", "-cell".
func joined(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	return strings.ContainsRune("'’-‑", r) && wordAfter(rest, size)
}

// proseFollows says whether rest, which follows a letter, continues with a word in small letters.
func proseFollows(rest string) bool {
	body := strings.TrimLeftFunc(rest, isSpace)
	r, _ := utf8.DecodeRuneInString(body)
	return len(body) < len(rest) && unicode.IsLower(r)
}

// severalNamed says whether rest, which follows a label, names a second one: "A or B", "(A), (C)", "A/B". After "and"
// or a comma the second must end the statement, or it may begin another: "B, A is wrong".
func severalNamed(rest string, last byte) bool {
	rest = strings.TrimLeft(rest, closers+markup+" ")
	for _, link := range []struct {
		text string
		open bool // names a second label whatever follows that
	}{{", or ", true}, {"or ", true}, {"/", true}, {", and ", false}, {"and ", false}, {"&", false}, {",", false}} {
		tail, ok := strings.CutPrefix(rest, link.text)
		if !ok {
			continue
		}
		_, after, ok := readLabel(strings.TrimPrefix(tail, "option "), last)
		if !ok {
			return false
		}
		after = strings.TrimLeft(after, closers+markup)
		r, _ := utf8.DecodeRuneInString(after)
		return link.open || after == "" || strings.ContainsRune(stops+"\r\n", r) || severalNamed(after, last)
	}
	return false
}
