package grade

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// answerMarker takes the last marker "ANSWER:" that is followed by a label of the question, bracketed or plain. The labels at the
// start of what follows are the answer, so "B, not C" is B; "A, B" and "AB" name two letters, which means no answer.
var answerMarker = Rule{"answer-marker", func(text string, options int) (m Match, found bool) {
	for at := 0; ; {
		start, end := answerWord(text, at)
		if end < 0 {
			return m, found
		}
		at = end
		colon := skipSpace(text, at)
		if colon >= len(text) || text[colon] != ':' {
			continue
		}
		tail := text[skipSpace(text, colon+1):]
		tail = strings.TrimLeft(tail, "*")
		tail = tail[skipSpace(tail, 0):]
		labels := leading(bracketed(tail), options)
		if labels == "" {
			labels = leading(plain(tail), options)
		}
		if labels == "" {
			continue
		}
		m, found = Match{}, true
		if len(labels) == 1 {
			letter := len(text) - len(tail) + strings.IndexByte(tail, labels[0])
			m = Match{labels[0], Span{start, letter + 1}}
		}
	}
}}

// answerWord returns where the first "answer" at or after from starts and ends, in any case, or -1. Python's re takes the long
// s for an S in any case.
func answerWord(text string, from int) (start, end int) {
	for i := from; i < len(text); i++ {
		if text[i]|0x20 != 'a' {
			continue
		}
		for _, word := range []string{"answer", "anſwer"} {
			if rest, ok := cutFold(text[i:], word); ok {
				return i, len(text) - len(rest)
			}
		}
	}
	return -1, -1
}

// lastUpperCase takes the completion's last upper-case letter, if the question has it.
var lastUpperCase = Rule{"last-upper-case", func(text string, options int) (Match, bool) {
	i := strings.LastIndexFunc(text, func(r rune) bool {
		return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r)
	})
	if i < 0 {
		return Match{}, false
	}
	return bare(text, i), within(text[i], options)
}}

// bracketed returns the inside of the bracket at the start of s, if it holds only single characters with commas between them: "(A)",
// "[B]", "（A，C）". Opening and closing brackets may be of different kinds.
func bracketed(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if !strings.ContainsRune("([（【", r) {
		return ""
	}
	wantLabel := true
	for i, r := range s[size:] {
		switch {
		case isSpace(r):
		case wantLabel && isLabel(r):
			wantLabel = false
		case !wantLabel && (r == ',' || r == '，'):
			wantLabel = true
		case !wantLabel && strings.ContainsRune(")]）】", r):
			return s[size : size+i]
		default:
			return ""
		}
	}
	return ""
}

// plain returns the beginning of s that could be a list of labels.
func plain(s string) string {
	if r, _ := utf8.DecodeRuneInString(s); !isLabel(r) {
		return ""
	}
	i := strings.IndexFunc(s, func(r rune) bool { return !isLabel(r) && r != ' ' && r != ',' })
	if i < 0 {
		return s
	}
	return s[:i]
}

func isLabel(r rune) bool {
	return 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || unicode.IsDigit(r)
}

// leading returns the letters of the words at the start of a list that consist of the question's letters only.
func leading(list string, options int) string {
	var letters []byte
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return !isLabel(r) }) {
		for i := range len(word) {
			if !within(word[i], options) {
				return string(letters)
			}
		}
		letters = append(letters, word...)
	}
	return string(letters)
}
