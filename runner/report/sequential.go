package report

import (
	"fmt"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// anytime is what the interval is at which such a run stops.
const anytime = "the headline's interval is of this set and holds wherever the run stops (a confidence sequence: Waudby-Smith and " +
	"Ramdas, arXiv 2010.09686); other intervals and p-values assume a number of questions fixed beforehand"

// unfinished says how far a run is that has not stopped.
func unfinished(s *metrics.Sequential) string {
	return fmt.Sprintf("after %s; run it again with %s", format.Several(s.Interims, "interim look"), setting.Resume)
}

func (r document) sequentialSection() page.Section {
	section := page.Section{Title: "Stopping"}
	s := r.Sequential
	if s == nil {
		return section
	}
	if s.Against != nil {
		return decidedSection(s)
	}
	target := "± " + format.Points(stats.Of(s.Target), 2)
	section.Facts.Add("rule", "sequential", "in batches, until the interval is no wider than "+target)
	switch s.Stopped {
	case journal.StopNarrow:
		section.Facts.Add("stopped", "narrow enough", "after "+format.Several(s.Interims, "interim look"))
		section.Notes = []string{anytime}
	case journal.StopAsked:
		section.Facts.Add("stopped", "all asked", fmt.Sprintf("after %s; the interval is still wider than %s, "+
			"and no question is left", format.Several(s.Interims, "interim look"), target))
	default:
		section.Facts.Add("stopped", "not yet", unfinished(s))
	}
	if len(s.History) == 0 {
		return section
	}
	section.Table = &page.Grid{Head: []string{"interim look", "questions", "items", s.History[0].Headline, "half width"}}
	for _, interim := range s.History {
		section.Table.Add(format.Count(interim.Number), format.Count(interim.Questions), format.Count(interim.Items),
			format.Percent(interim.Value), "± "+format.Points(interim.HalfWidth, 2))
	}
	return section
}
