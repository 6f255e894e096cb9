package results

import (
	"slices"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

// markForks sets the marks of the item's forks and drops their texts.
func (it *Item) markForks(h *journal.Header, rules grade.RuleSet) {
	for i, f := range it.Forks {
		at := it.At(f.Budget)
		it.Forked = append(it.Forked, rules.Mark(h, &at))
		it.Forks[i].Text = ""
	}
}

// AtBudget is the view of all items as a run with only this budget would have them, under the first rule set.
func (v View) AtBudget(budget int) View {
	items := make([]*Item, len(v.Items))
	for i, it := range v.Items {
		items[i] = it
		fork := slices.IndexFunc(it.Forks, func(f backends.Fork) bool { return f.Budget == budget })
		if fork < 0 {
			continue
		}
		f, at := it.Forks[fork], *it
		at.Marks, at.Forks, at.Forked = it.Forked[fork:fork+1], nil, nil
		at.Finish, at.Record.Cause, at.ThinkClosed = f.Finish, f.Cause, true
		at.Usage.OutputTokens, at.Usage.ThinkingTokens = f.OutputTokens, f.ThinkingTokens
		items[i] = &at
	}
	return View{items, 0}
}

// A Fifth is about a fifth of a view's items, those whose length is From to To.
type Fifth struct {
	From, To int
	View
}

// fifths is the number of parts into which Fifths divides items, with at least fifthItems in each.
const fifths, fifthItems = 5, 10

// Fifths splits a view by a length that its scored items have, all of them above 0; nothing where one has none, or the items are few
// or alike.
func (v View) Fifths(length func(*Item) int) []Fifth {
	var lengths []int
	for a := range v.Scored() {
		if length(a.Item) == 0 {
			return nil
		}
		lengths = append(lengths, length(a.Item))
	}
	if len(lengths) < fifths*fifthItems {
		return nil
	}
	slices.Sort(lengths)
	var parts []Fifth
	from := lengths[0]
	for k := 1; k <= fifths && from <= lengths[len(lengths)-1]; k++ {
		to := lengths[len(lengths)*k/fifths-1]
		if to < from {
			continue
		}
		part := v.Where(func(it *Item) bool { return length(it) >= from && length(it) <= to })
		parts = append(parts, Fifth{from, to, part})
		from = to + 1
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}
