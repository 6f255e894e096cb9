package grade

import (
	"slices"
	"strings"

	"proctor/backends"
	"proctor/runner/journal"
)

// answerPart returns what a reasoning model wrote outside its thinking, text[from:to], and whether the thinking never ended. A block
// may have been opened by the prompt, so that the completion holds its end only; then what stands before that is
// thinking too, and if the end is missing as well the backend alone can know (cause THINK_UNCLOSED).
func answerPart(h *journal.Header, r *journal.Record) (from, to int, unclosed bool) {
	end, begin := thinking(h, r.Text)
	if begin == len(r.Text) && end == 0 && r.Cause == backends.CauseThinkUnclosed {
		return 0, 0, true
	}
	return end, begin, begin < len(r.Text)
}

// Completion is the part of a record's text that [RuleSet.Mark] looks at under the rule sets that leave thinking to the run: all of
// it, but for thinking where the run's style leaves that out.
func Completion(h *journal.Header, r *journal.Record) string {
	if !h.Strip {
		return r.Text
	}
	from, to, _ := answerPart(h, r)
	return r.Text[from:to]
}

// Thinking returns what [RuleSet.Mark] leaves out of a completion where thinking is left out: all of it up to the last
// end of thinking, and from a beginning that has no end.
func Thinking(h *journal.Header, text string) string {
	end, begin := thinking(h, text)
	return text[:end] + text[begin:]
}

// Thinks says whether a completion shows thinking, ended or not: in marks with something between them, or without any as its
// backend tells.
func Thinks(h *journal.Header, r *journal.Record) bool {
	thought := Thinking(h, r.Text)
	if thought == "" {
		return r.Usage.ThinkingTokens > 0 || r.Cause == backends.CauseThinkUnclosed
	}
	for _, way := range waysOf(h) {
		thought = strings.NewReplacer(way.Open, "", way.Close, "").Replace(thought)
	}
	return strings.TrimSpace(thought) != ""
}

// thinking returns where the last thinking ends, 0 for none, and where from there on another begins that has no end,
// len(text) for none.
func thinking(h *journal.Header, text string) (end, begin int) {
	ways := waysOf(h)
	for _, way := range ways { // what ends later can't begin much before: of long thinking most ways see the answer alone
		from := max(0, end-len(way.Close)+1)
		if i := strings.LastIndex(text[from:], way.Close); i >= 0 {
			end = from + i + len(way.Close)
		}
	}
	begin = len(text)
	for _, way := range ways {
		if i := strings.Index(text[end:], way.Open); i >= 0 {
			begin = min(begin, end+i)
		}
	}
	return end, begin
}

// waysOf are those in which the models of a run were known to mark their thinking: a journal that says none is from a time
// when tags were the only one, and stays marked as it was.
func waysOf(h *journal.Header) []backends.Thinking {
	if len(h.Thinking) == 0 {
		return []backends.Thinking{backends.Tags}
	}
	return slices.DeleteFunc(slices.Clone(backends.Thinkings), func(t backends.Thinking) bool {
		return !slices.Contains(h.Thinking, t.Name)
	})
}
