package items

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
)

// mostThinking is how many bytes of an item's thinking a page has; of what is longer it has the two ends, since a page with all of
// what thinking models write would be larger than a browser takes. folded is from how many on it is shown only when asked for.
const mostThinking, folded = 8 << 10, 2 << 10

// A written text is what a page shows of a completion.
type written struct {
	text     string
	thinking int // bytes that it begins with and that are thinking, where these are to be folded
	left     int // bytes of thinking that were left out before the answer
}

// writtenOf shortens and folds the thinking that a completion begins with, up to where its answer was found.
func writtenOf(h *journal.Header, text string, answer int) written {
	thought := len(grade.Thinking(h, text))
	if !h.Strip || thought < folded || thought > answer || text[:thought] != grade.Thinking(h, text) {
		return written{text: text}
	}
	if thought <= mostThinking {
		return written{text: text, thinking: thought}
	}
	from, to := mostThinking/2, thought-mostThinking/2
	for !utf8.RuneStart(text[from]) {
		from--
	}
	for !utf8.RuneStart(text[to]) {
		to++
	}
	gap := fmt.Sprintf("\n\n[… %s of thinking are left out here: `proctor show RUN ID` has them …]\n\n", format.Several(to-from, "byte"))
	short := strings.Join([]string{text[:from], gap, text[to:]}, "")
	left := to - from - len(gap)
	return written{text: short, thinking: thought - left, left: left}
}
