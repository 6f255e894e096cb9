package grade

import (
	"strings"

	"proctor/runner/journal"
)

// Signs are traits of a completion besides its answer.
type Signs struct {
	Contradicts bool // it has "answer is (X)" with two letters
	Lists       bool // it ends in a list of options
}

// SignsOf examines the text that rule sets examine, up to the first stop string.
func SignsOf(h *journal.Header, r *journal.Record) Signs {
	text := cutAtStop(h, completion(h, r))
	return Signs{contradicts(text, r.Options), lists(text, r.Options)}
}

func cutAtStop(h *journal.Header, text string) string {
	for _, stop := range h.Sampling.Stop {
		if stop != "" {
			text, _, _ = strings.Cut(text, stop)
		}
	}
	return text
}

func contradicts(text string, options int) bool {
	first := byte(0)
	for {
		m, found := answerIs.Find(text, options)
		if !found {
			return false
		}
		if first != 0 && m.Letter != first {
			return true
		}
		first, text = m.Letter, text[m.End:]
	}
}

// lists says whether the last two lines are options; the last may be cut.
func lists(text string, options int) bool {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) < 2 {
		return false
	}
	for _, line := range lines[len(lines)-2:] {
		line = strings.TrimPrefix(strings.TrimSpace(line), "(")
		if len(line) < 2 || !within(line[0], options) || line[1] != '.' && line[1] != ')' && line[1] != ':' {
			return false
		}
	}
	return true
}
