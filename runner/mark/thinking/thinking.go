// Package thinking says what thinking was worth in a run that ended it at a budget: how many items had theirs closed by force, how
// these and the others did, how accuracy goes with the length of thinking, what a right answer took, and, of several budgets,
// accuracy at each with its difference to the largest.
//
// All budgets are of the same items, whose thinking is the same up to the smaller one: differences are paired. Neighbours: package
// results has the forks' marks, metrics the run's other figures.
package thinking

import (
	"fmt"
	"strconv"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Figures are those of a run, at its largest budget but for Curve. Tokens are over the scored items.
type Figures struct {
	Budgets        []int          `json:"budgets"`
	ThinkingTokens int            `json:"thinking_tokens"` // marks counted
	AnswerTokens   int            `json:"answer_tokens"`
	PerRight       stats.Number   `json:"thinking_tokens_per_right,omitzero"` // over all scored items, for each that is right
	ClosedShare    stats.Number   `json:"closed_share,omitzero"`              // of the scored items, closed by force
	ClosedCI       stats.Interval `json:"closed_share_ci,omitzero"`
	Closed         Part           `json:"closed"` // they
	Itself         Part           `json:"itself"` // the others
	ByLength       []Length       `json:"by_thinking_tokens,omitempty"`
	Curve          []Point        `json:"curve,omitempty"` // a budget each, where there are several
}

// A Part is how some items did.
type Part struct {
	Items    int            `json:"items"` // scored
	Correct  int            `json:"correct"`
	Accuracy stats.Number   `json:"accuracy,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
}

// A Length is the items whose thinking has From to To tokens.
type Length struct {
	From int `json:"from"`
	To   int `json:"to"`
	Part
}

// A Point is the run at one of its budgets.
type Point struct {
	Budget int `json:"budget"`
	Part
	Closed         int            `json:"closed"` // items, by force
	ThinkingTokens int            `json:"thinking_tokens"`
	PerRight       stats.Number   `json:"thinking_tokens_per_right,omitzero"`
	Difference     stats.Number   `json:"difference,omitzero"` // to the largest budget's accuracy, question by question
	DifferenceCI   stats.Interval `json:"difference_ci,omitzero"`
}

// Of makes the figures of a run; nil where its thinking had no budget. accuracy estimates that of some items.
func Of(h *journal.Header, v results.View, accuracy func(results.View) stats.Estimate, confidence float64) *Figures {
	if len(h.Budgets) == 0 {
		return nil
	}
	part := func(v results.View) Part {
		t, e := v.Tally(), accuracy(v)
		return Part{t.Scored(), t.Correct, e.Value, e.Interval}
	}
	isClosed := func(it *results.Item) bool { return it.ThinkClosed }
	f := &Figures{
		Budgets: h.Budgets,
		Closed:  part(v.Where(isClosed)),
		Itself:  part(v.Where(func(it *results.Item) bool { return !it.ThinkClosed })),
	}
	f.ThinkingTokens, f.AnswerTokens = tokens(v)
	f.PerRight = stats.Ratio(f.ThinkingTokens, v.Tally().Correct)
	if t := v.Tally(); t.Items == t.Questions {
		f.ClosedCI = stats.Proportion(f.Closed.Items, t.Scored(), false, confidence).Interval
	} else {
		f.ClosedCI = stats.ClusteredProportion(clusters(v, isClosed), confidence).Interval
	}
	f.ClosedShare = stats.Ratio(f.Closed.Items, v.Tally().Scored())
	thought := v.Where(func(it *results.Item) bool { return it.Usage.ThinkingTokens > 0 })
	for _, fifth := range thought.Fifths(func(it *results.Item) int { return it.Usage.ThinkingTokens }) {
		f.ByLength = append(f.ByLength, Length{fifth.From, fifth.To, part(fifth.View)})
	}
	if len(h.Budgets) == 1 {
		return f
	}
	largest := v.QuestionMeans()
	for _, budget := range h.Budgets {
		at := v.AtBudget(budget)
		p := Point{Budget: budget, Part: part(at)}
		p.ThinkingTokens, _ = tokens(at)
		p.PerRight = stats.Ratio(p.ThinkingTokens, p.Correct)
		for a := range at.Scored() {
			if a.ThinkClosed {
				p.Closed++
			}
		}
		if own := at.QuestionMeans(); budget < h.Budgets[len(h.Budgets)-1] {
			for i := range own {
				own[i] -= largest[i]
			}
			difference, _ := stats.PairedT(own, confidence)
			p.Difference, p.DifferenceCI = difference.Value, difference.Interval
		}
		f.Curve = append(f.Curve, p)
	}
	return f
}

// tokens counts those of thinking and of answers.
func tokens(v results.View) (thinking, answer int) {
	for a := range v.Scored() {
		thinking += a.Usage.ThinkingTokens
		answer += a.Usage.OutputTokens - a.Usage.ThinkingTokens
	}
	return thinking, answer
}

// clusters counts each question's scored items, and those of them of which something holds.
func clusters(v results.View, holds func(*results.Item) bool) []stats.Cluster {
	var all []stats.Cluster
	for question := range v.Questions() {
		var c stats.Cluster
		for a := range question.Scored() {
			c.Items++
			if holds(a.Item) {
				c.Successes++
			}
		}
		all = append(all, c)
	}
	return all
}

// often is the share of thinking closed by force from which on the budget decides the score.
const often = 0.2

// Cautions are what a reader should know; nothing of nil.
func (f *Figures) Cautions() []string {
	if f == nil || f.ClosedShare.Or(0) < often || f.Budgets[len(f.Budgets)-1] == 0 {
		return nil
	}
	most := f.Budgets[len(f.Budgets)-1]
	return []string{fmt.Sprintf("the thinking of %s of %s was closed at %s tokens: accuracy may be measuring the budget; "+
		"try %s", format.Count(f.Closed.Items), format.Several(f.Closed.Items+f.Itself.Items, "item"), format.Count(most),
		setting.ThinkBudget.As(strconv.Itoa(4*most)))}
}
