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
	_, answer, closed, opened := parts(r.Text)
	if !opened && !closed && r.Cause == backends.CauseThinkUnclosed {
		return "", true
	}
	return answer, opened
}

// Thinking returns what [RuleSet.Mark] leaves out of a completion where thinking is left out: all of it up to the last
// end of thinking, and from a beginning that has no end.
func Thinking(text string) string {
	thought, _, _, _ := parts(text)
	return thought
}

// parts takes a completion apart: closed says that thinking ended, opened that some began after that.
func parts(text string) (thought, answer string, closed, opened bool) {
	if i := strings.LastIndex(text, thinkClose); i >= 0 {
		i += len(thinkClose)
		thought, text, closed = text[:i], text[i:], true
	}
	if i := strings.Index(text, thinkOpen); i >= 0 {
		thought, text, opened = thought+text[i:], text[:i], true
	}
	return thought, text, closed, opened
}
