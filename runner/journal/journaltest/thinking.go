package journaltest

import (
	"strings"

	"proctor/backends"
	"proctor/runner/journal"
)

// Thinking has a run think before it answers, with three budgets: shorter and longer than each, so that some items have forks and
// some were closed by force at the largest. With the smallest one a third of the answers are the gold letter, with the next half.
func Thinking(h journal.Header, records []journal.Record) (journal.Header, []journal.Record) {
	const thought = "hm "
	h.PromptMode, h.Strip, h.Thinking, h.Sampling.Stop = "chat", true, backends.ThinkingNames(), []string{}
	h.Budgets = []int{2, 8, 32}
	closing := (&backends.Budget{Way: backends.Tags}).Closing()
	const open, shut = 1, 9 // tokens of the marks
	for i := range records {
		r := &records[i]
		if r.Failed() {
			continue
		}
		n, answer, end := 1+i*7%41, r.Text, "</think>"
		tokens := open + n + 1
		if n > h.Budgets[2] {
			n, end, r.ThinkClosed = h.Budgets[2], closing, true
			tokens = open + n + shut
		}
		r.Text = backends.Tags.Open + strings.Repeat(thought, n) + end + answer
		r.Usage.ThinkingTokens = tokens
		r.Usage.OutputTokens += tokens
		for k, budget := range h.Budgets[:2] {
			if n <= budget {
				continue
			}
			letter := Letter((i + k) % r.Options)
			if i%(3-k) == 0 {
				letter = r.Gold
			}
			r.Forks = append(r.Forks, backends.Fork{
				Budget: budget, Shared: len(backends.Tags.Open) + budget*len(thought), Text: closing + "The answer is (" + letter + ").",
				Finish: backends.FinishStop, OutputTokens: open + budget + shut + 6, ThinkingTokens: open + budget + shut, Decode: 1000,
			})
		}
	}
	return h, records
}
