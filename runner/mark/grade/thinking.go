package grade

import (
	"slices"
	"strings"

	"proctor/backends"
	"proctor/runner/journal"
)

// answerPart returns the part of a completion outside its thinking, text[from:to], and whether the thinking never ended. The prompt
// may have opened a block, so that the completion has only its end; then everything before that is thinking. If the end is missing
// too, only the backend can know (cause THINK_UNCLOSED).
func answerPart(h *journal.Header, r *journal.Record) (from, to int, unclosed bool) {
	end, begin := thinking(h, r.Text)
	if begin == len(r.Text) && end == 0 && r.Cause == backends.CauseThinkUnclosed {
		return 0, 0, true
	}
	return end, begin, begin < len(r.Text)
}

// completion is the part of a record's text that [RuleSet.Mark] examines under rule sets that follow the run's setting
// of thinking: everything, or everything but the thinking.
func completion(h *journal.Header, r *journal.Record) string {
	if !h.Strip {
		return r.Text
	}
	from, to, _ := answerPart(h, r)
	return r.Text[from:to]
}

// Thinking returns the part of a completion that [RuleSet.Mark] leaves out as thinking: up to the last closing mark, and from an
// opening mark that is not closed.
func Thinking(h *journal.Header, text string) string {
	end, begin := thinking(h, text)
	return text[:end] + text[begin:]
}

// Thinks says whether a completion shows thinking, finished or not: non-empty, in marks, or reported by its backend.
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
	for _, way := range ways { // a mark that ends later can't begin much earlier: after long thinking most ways see the answer alone
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

// waysOf are the marks of thinking of a run's models: tags, which backends write, and those of the chat template.
func waysOf(h *journal.Header) []backends.Thinking {
	return append(slices.Clip(h.Thinking), backends.Tags)
}
