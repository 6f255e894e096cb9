package grade

import (
	"strings"

	"proctor/backends"
	"proctor/runner/journal"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// answerPart returns what a reasoning model wrote outside its thinking, and whether the thinking never ended. A block
// may have been opened by the prompt, so that the completion holds its end only; then what stands before that is
// thinking too, and if the end is missing as well the backend alone can know (cause THINK_UNCLOSED).
func answerPart(r *journal.Record) (text string, unclosed bool) {
	text = r.Text
	closed := false
	if i := strings.LastIndex(text, thinkClose); i >= 0 {
		text, closed = text[i+len(thinkClose):], true
	}
	if before, _, open := strings.Cut(text, thinkOpen); open {
		return before, true
	}
	if r.Cause == backends.CauseThinkUnclosed && !closed {
		return "", true
	}
	return text, false
}

// Thinking returns what [RuleSet.Mark] leaves out of a completion where thinking is left out: all of it up to the last
// end of thinking, and from a beginning that has no end.
func Thinking(text string) string {
	after := strings.LastIndex(text, thinkClose)
	if after < 0 {
		after = 0
	} else {
		after += len(thinkClose)
	}
	thought := text[:after]
	if i := strings.Index(text[after:], thinkOpen); i >= 0 {
		thought += text[after+i:]
	}
	return thought
}
