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
