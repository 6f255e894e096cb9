package grade

import "strings"

// answerIs is the first match of `answer is \(?([A-J])\)?`. In questions with more than ten options, J here and below is the
// letter of the last of them.
var answerIs = Rule{"answer-is", func(text string, options int) (byte, bool) {
	for {
		_, rest, ok := strings.Cut(text, answerIsPhrase)
		if !ok {
			return 0, false
		}
		text = rest
		if label := strings.TrimPrefix(rest, "("); label != "" && 'A' <= label[0] && label[0] <= last(options) {
			return label[0], true
		}
	}
}}

const (
	answerIsPhrase = "answer is "
	answerIsReach  = len(answerIsPhrase + "(A") // the bracket after the letter changes nothing
)

// answerColon is the match of `.*[aA]nswer:\s*([A-J])`: on the first line where the phrase is followed by a letter,
// the last such phrase, since `.*` takes as much of the line as it can. The letter may stand on a later line.
var answerColon = Rule{"answer-colon", func(text string, options int) (byte, bool) {
	for start := 0; ; {
		i := strings.Index(text[start:], colonPhrase)
		if i < 0 {
			return 0, false
		}
		start += strings.LastIndexByte(text[start:start+i], '\n') + 1
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i
		}
		if letter := lastColonOn(text, start, end, last(options)); letter != 0 {
			return letter, true
		}
		start = end
	}
}}

const colonPhrase = "nswer:"

// lastColonOn returns the letter after the last phrase on the line text[start:end] that has one, or 0.
func lastColonOn(text string, start, end int, last byte) byte {
	for {
		i := strings.LastIndex(text[start:end], colonPhrase)
		if i < 1 {
			return 0
		}
		end = start + i
		if text[end-1]|0x20 != 'a' {
			continue
		}
		if j := skipSpace(text, end+len(colonPhrase)); j < len(text) && 'A' <= text[j] && text[j] <= last {
			return text[j]
		}
	}
}

// lastBareCapital is the last match of `\b[A-J]\b`.
var lastBareCapital = Rule{"last-capital", func(text string, options int) (byte, bool) {
	for i := len(text) - 1; i >= 0; i-- {
		if c := text[i]; 'A' <= c && c <= last(options) && !wordBefore(text, i) && !wordAfter(text, i+1) {
			return c, true
		}
	}
	return 0, false
}}
