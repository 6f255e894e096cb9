package metrics

import (
	"fmt"
	"strconv"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Thinking says what thinking was worth in a run with budgets: how many items were closed by force, the accuracy of these and of the
// others, the tokens for a right answer, and, with several budgets, accuracy at each and its
// difference to the largest. All budgets are of the same items with the same thinking up to the smaller budget, so differences are
// paired. All figures but Curve are at the largest budget. Tokens are over the scored items.
type Thinking struct {
	Budgets        []int `json:"budgets"`
	ThinkingTokens int   `json:"thinking_tokens"` // marks counted
	AnswerTokens   int   `json:"answer_tokens"`
	// over all scored items, for each that is right
	PerRight    stats.Number   `json:"thinking_tokens_per_right,omitzero"`
	ClosedShare stats.Number   `json:"closed_share,omitzero"` // of the scored items, closed by force
	ClosedCI    stats.Interval `json:"closed_share_ci,omitzero"`
	Closed      SomeItems      `json:"closed"`          // they
	Itself      SomeItems      `json:"itself"`          // the others
	Curve       []AtBudget     `json:"curve,omitempty"` // a budget each, where there are several
}

// SomeItems are the results of some items.
type SomeItems struct {
	Items    int            `json:"items"` // scored
	Correct  int            `json:"correct"`
	Accuracy stats.Number   `json:"accuracy,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
	SE       stats.Number   `json:"stderr,omitzero"`
}

// AtBudget is the run's result at one of its budgets.
type AtBudget struct {
	Budget int `json:"budget"`
	SomeItems
	Closed         int            `json:"closed"` // items, by force
	ThinkingTokens int            `json:"thinking_tokens"`
	PerRight       stats.Number   `json:"thinking_tokens_per_right,omitzero"`
	Difference     stats.Number   `json:"difference,omitzero"` // to the largest budget's accuracy
	DifferenceCI   stats.Interval `json:"difference_ci,omitzero"`
}

// thinking is nil where the run's thinking had no budget.
func (s *settings) thinking(h *journal.Header, v results.View) *Thinking {
	if len(h.Budgets) == 0 {
		return nil
	}
	part := func(v results.View) SomeItems {
		t, e := v.Tally(), s.accuracy(v)
		return SomeItems{t.Scored(), t.Correct, e.Value, e.Interval, e.SE}
	}
	f := &Thinking{
		Budgets: h.Budgets,
		Closed:  part(v.Where(func(it *results.Item) bool { return it.ThinkClosed })),
		Itself:  part(v.Where(func(it *results.Item) bool { return !it.ThinkClosed })),
	}
	f.ThinkingTokens, f.AnswerTokens = tokens(v)
	f.PerRight = stats.Ratio(f.ThinkingTokens, v.Tally().Correct)
	closed := s.ofScored(v, func(a results.Answer) bool { return a.ThinkClosed })
	f.ClosedShare, f.ClosedCI = closed.Value, closed.Interval
	if len(h.Budgets) == 1 {
		return f
	}
	for _, budget := range h.Budgets {
		at := v.AtBudget(budget)
		p := AtBudget{Budget: budget, SomeItems: part(at)}
		p.ThinkingTokens, _ = tokens(at)
		p.PerRight = stats.Ratio(p.ThinkingTokens, p.Correct)
		for a := range at.Scored() {
			if a.ThinkClosed {
				p.Closed++
			}
		}
		if budget < h.Budgets[len(h.Budgets)-1] {
			difference := s.change(v, at)
			p.Difference, p.DifferenceCI = difference.Value, difference.Interval
		}
		f.Curve = append(f.Curve, p)
	}
	return f
}

// change is the difference in accuracy between two views of the same items. Questions of one item are right or wrong as a whole; for
// others the totals are compared.
func (s *settings) change(from, to results.View) stats.Estimate {
	before, after := clusters(from, correct), clusters(to, correct)
	var table stats.Pairs
	var totals [][]float64
	for i, c := range after {
		if c.Items > 0 {
			table.Add(before[i].Successes == c.Items, c.Successes == c.Items)
			totals = append(totals, []float64{float64(c.Successes - before[i].Successes), float64(c.Items)})
		}
	}
	if len(after) == len(to.Items) {
		return table.Score().Difference(s.confidence)
	}
	return stats.PairedTotals(totals, stats.OfRatio, s.confidence)
}

// tokens counts the tokens of thinking and of answers.
func tokens(v results.View) (thinking, answer int) {
	for a := range v.Scored() {
		thinking += a.Usage.ThinkingTokens
		answer += a.Usage.OutputTokens - a.Usage.ThinkingTokens
	}
	return thinking, answer
}

// often is the share of thinking closed by force from which on the budget decides the score.
const often = 0.2

// caution warns where the budget decides the score; empty for nil.
func (f *Thinking) caution() string {
	if f == nil || f.ClosedShare.Or(0) < often || f.Budgets[len(f.Budgets)-1] == 0 {
		return ""
	}
	most := f.Budgets[len(f.Budgets)-1]
	return fmt.Sprintf("the thinking of %s of %s was closed at %s tokens: accuracy may be measuring the budget; try %s",
		format.Count(f.Closed.Items), format.Several(f.Closed.Items+f.Itself.Items, "item"), format.Count(most),
		setting.ThinkBudget.As(strconv.Itoa(4*most)))
}
