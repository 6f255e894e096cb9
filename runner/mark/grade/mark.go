package grade

import (
	"cmp"
	"strings"

	"proctor/backends"
	"proctor/backends/stream"
	"proctor/runner/journal"
)

// A Mark is one item's verdict under one rule set.
type Mark struct {
	Letter  string         // the model's choice; empty for no answer
	Rule    string         // name of the rule that found it
	At      Span           // of the record's Text: where the rule found it
	Tag     Tag            // why the item did not pass; empty when it did
	Cause   backends.Cause // how the completion ended, where known, whatever the verdict; it explains a missing answer
	Correct bool           // the letter is the gold one
	Cut     bool           // see [Cut]
}

// Answered says whether one of the question's letters was found.
func (m Mark) Answered() bool { return m.Letter != "" }

// Mark gives the verdict on one record of a run.
func (s RuleSet) Mark(h *journal.Header, r *journal.Record) Mark {
	if r.Failed() {
		return Mark{Tag: errorTag(r.Cause), Cause: r.Cause}
	}
	switch { // letters in a refusal are no answer, and those in an echo are the prompt's
	case r.Cause == backends.CauseRefused:
		return Mark{Tag: NoAnswer, Cause: r.Cause}
	case echoes(h, r):
		return Mark{Tag: NoAnswer, Cause: backends.CauseEcho}
	}
	begin, end, unclosed := 0, len(r.Text), false
	if s.LeavesThinkingOut(h) {
		begin, end, unclosed = answerPart(h, r)
	}
	text := r.Text[begin:end]
	if s.cut {
		text = cutAtStop(h, text)
	}
	found, rule := s.find(text, r.Options)
	if found.Letter == 0 {
		return Mark{Tag: NoAnswer, Cause: cmp.Or(ending(r, unclosed), silence(r, text)), Cut: Cut(r)}
	}
	m := Mark{Letter: string(rune(found.Letter)), Rule: rule, At: Span{begin + found.Start, begin + found.End},
		Cause: ending(r, unclosed),
		Cut:   Cut(r)}
	if m.Correct = m.Letter == r.Gold; !m.Correct {
		m.Tag = WrongAnswer
	}
	return m
}

// A Tag is an item's kind of failure. Each item that does not pass has exactly one.
type Tag string

const (
	NoAnswer     Tag = "NO_ANSWER"     // a completion without one of the question's letters
	WrongAnswer  Tag = "WRONG_ANSWER"  // a letter, but not the gold one
	AdapterError Tag = "ADAPTER_ERROR" // the endpoint or the backend failed
	HarnessError Tag = "HARNESS_ERROR" // our failure: the item was not asked fairly
)

// Tags lists every tag in the order reports show them.
var Tags = []Tag{WrongAnswer, NoAnswer, AdapterError, HarnessError}

// IsError says whether an item with this tag is left out of the score.
func (t Tag) IsError() bool { return t == AdapterError || t == HarnessError }

// errorTag separates our failures from the backend's: a prompt that does not fit its context, or is too large, was never asked fairly.
func errorTag(c backends.Cause) Tag {
	if c == backends.CauseTruncated || c == backends.CauseOversize {
		return HarnessError
	}
	return AdapterError
}

// ending says how a completion ended, unless it was by itself. A loop explains a missing end of thinking, and that explains a full
// token cap. A run that lets loops continue, or an imported one, has no cause for a loop, so the text decides.
func ending(r *journal.Record, unclosed bool) backends.Cause {
	switch {
	case r.Cause == backends.CauseLoop, r.Finish == backends.FinishLength && stream.Repeats(r.Text):
		return backends.CauseLoop
	case unclosed:
		return backends.CauseThinkUnclosed
	case r.Cause != "" && r.Cause != backends.CauseThinkUnclosed: // for that one the text decides
		return r.Cause
	case r.Finish == backends.FinishLength:
		return backends.CauseLength
	}
	return ""
}

// Cut says whether the cap on tokens ended a completion, while it was thinking or later. A loop is the model's own
// fault: a larger cap would not end it.
func Cut(r *journal.Record) bool {
	return r.Finish == backends.FinishLength && ending(r, false) != backends.CauseLoop
}

// silence says why a completion that the cap did not end has no answer.
func silence(r *journal.Record, text string) backends.Cause {
	switch {
	case r.Stop != "":
		return backends.CauseStop
	case strings.TrimSpace(text) == "":
		return backends.CauseEmpty
	}
	return backends.CauseNoLetter
}

// echoed is the number of bytes of a prompt, or of a shot, whose repetition can't be chance.
const echoed = 100

// echoes says whether a completion repeats its prompt: it begins with the beginning of the prompt, or has two whole shots. The beginning is the
// start of the subject's preamble; without a preamble it is the whole prompt, since a model may well begin with the question. One shot is no
// sign: among the 24,064 completions that MMLU-Pro's authors published 41 have one, and none has two.
func echoes(h *journal.Header, r *journal.Record) bool {
	shared := strings.TrimSpace(h.Preambles[r.Subject])
	begin := strings.TrimSpace(h.Preambles[r.Subject] + r.Prompt)
	if len(shared) >= echoed {
		begin = shared[:echoed]
	}
	if len(begin) >= echoed && strings.HasPrefix(strings.TrimSpace(r.Text), begin) {
		return true
	}
	shots := 0
	for part := range strings.SplitSeq(shared, "\n\n") {
		part = strings.TrimSpace(part)
		if len(part) >= echoed && strings.Contains(part, "\n") && strings.Contains(r.Text, part) { // an instruction is one line
			shots++
		}
	}
	return shots > 1
}
