package report

import (
	"fmt"

	"proctor/runner/journal"
	"proctor/runner/page"
	"proctor/runner/stats"
	"proctor/runner/words"
)

// optimistic is why an interval at which one stopped covers less often than it says.
const optimistic = "an interval at which a run stopped for being narrow covers a little less often than it says: " +
	"each look favours samples whose interval happens to be narrow " +
	"(Chow and Robbins 1965, Ann. Math. Statist. 36:457; for proportions Frey 2010, Am. Stat. 64:242)"

func (r document) sequentialSection() page.Section {
	section := page.Section{Title: "Stopping"}
	s := r.Sequential
	if s == nil {
		return section
	}
	if s.Against != nil {
		return decidedSection(s)
	}
	target := "± " + words.Points(stats.Of(s.Target), 2)
	section.Facts.Add("rule", "sequential", "in batches, until the interval is no wider than "+target)
	switch s.Stopped {
	case journal.StopNarrow:
		section.Facts.Add("stopped", "narrow enough", "after "+words.Several(s.Interims, "look"))
		section.Notes = []string{optimistic}
	case journal.StopAsked:
		section.Facts.Add("stopped", "all asked", fmt.Sprintf("after %s; the interval is still wider than %s, "+
			"and no questions are left", words.Several(s.Interims, "look"), target))
	default:
		section.Facts.Add("stopped", "not yet", "after "+words.Several(s.Interims, "look")+"; run it again with --resume")
	}
	if len(s.History) == 0 {
		return section
	}
	section.Table = &page.Grid{Head: []string{"look", "questions", "items", s.History[0].Headline, "half width"}}
	for _, interim := range s.History {
		section.Table.Add(words.Count(interim.Number), words.Count(interim.Questions), words.Count(interim.Items),
			words.Percent(interim.Value), "± "+words.Points(interim.HalfWidth, 2))
	}
	return section
}
