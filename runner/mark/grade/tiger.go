package grade

import "strings"

// answerIs is the first match of `answer is \(?([A-J])\)?`. In questions with more than ten options, J here and below is the
// letter of the last of them.
var answerIs = Rule{"answer-is", func(text string, options int) (Match, bool) {
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, answerIsPhrase)
		if !ok {
			return Match{}, false
		}
		rest = after
		if label := strings.TrimPrefix(rest, "("); label != "" && 'A' <= label[0] && label[0] <= last(options) {
			return to(text, len(text)-len(rest)-len(answerIsPhrase), label[0], label[1:]), true
		}
	}
}}

const answerIsPhrase = "answer is "

// answerColon is the match of `.*[aA]nswer:\s*([A-J])`: on the first line where the phrase is followed by a letter,
// the last such phrase, since `.*` takes as much of the line as it can. The letter may stand on a later line.
var answerColon = Rule{"answer-colon", func(text string, options int) (Match, bool) {
	for start := 0; ; {
		i := strings.Index(text[start:], colonPhrase)
		if i < 0 {
			return Match{}, false
		}
		start += strings.LastIndexByte(text[start:start+i], '\n') + 1
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i
		}
		if m := lastColonOn(text, start, end, last(options)); m.Letter != 0 {
			return m, true
		}
		start = end
	}
}}

const colonPhrase = "nswer:"

// lastColonOn returns the letter after the last phrase on the line text[start:end] that has one; no letter where none has.
func lastColonOn(text string, start, end int, last byte) Match {
	for {
		i := strings.LastIndex(text[start:end], colonPhrase)
		if i < 1 {
			return Match{}
		}
		end = start + i
		if text[end-1]|0x20 != 'a' {
			continue
		}
		if j := skipSpace(text, end+len(colonPhrase)); j < len(text) && 'A' <= text[j] && text[j] <= last {
			return Match{text[j], Span{end - 1, j + 1}}
		}
	}
}

// lastBareCapital is the last match of `\b[A-J]\b`.
var lastBareCapital = Rule{"last-capital", func(text string, options int) (Match, bool) {
	for i := len(text) - 1; i >= 0; i-- {
		if c := text[i]; 'A' <= c && c <= last(options) && !wordBefore(text, i) && !wordAfter(text, i+1) {
			return bare(text, i), true
		}
	}
	return Match{}, false
}}
