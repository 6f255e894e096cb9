package report

import (
	"fmt"

	"proctor/runner/journal"
	"proctor/runner/page"
	"proctor/runner/stats"
	"proctor/runner/words"
)

// Sequential is how a run went that was to stop once the headline's interval is narrow enough.
type Sequential struct {
	Target     float64      `json:"until_half_width"`
	Confidence float64      `json:"confidence,omitempty"` // of the interval that was looked at
	Looks      int          `json:"looks"`
	Stopped    journal.Stop `json:"stopped,omitempty"` // narrow, asked, or nothing where the run is not finished
	History    []Look       `json:"history,omitempty"`
}

// Look is one look at the interval.
type Look struct {
	Look      int          `json:"look"` // from 1
	Questions int          `json:"questions"`
	Items     int          `json:"items"`
	Errors    int          `json:"errors"`
	Headline  string       `json:"headline"`
	RuleSet   string       `json:"rule_set"`
	Value     stats.Number `json:"value,omitzero"`
	HalfWidth stats.Number `json:"half_width,omitzero"`
}

// optimistic is why an interval at which one stopped covers less often than it says.
const optimistic = "an interval at which a run stopped for being narrow covers a little less often than it says: " +
	"each look favours samples whose interval happens to be narrow " +
	"(Chow and Robbins 1965, Ann. Math. Statist. 36:457; for proportions Frey 2010, Am. Stat. 64:242)"

// sequential sets how a run with a half width to reach went.
func (r *Report) sequential(h *journal.Header, looks []journal.Look) {
	if h.Selection.UntilHalfWidth <= 0 {
		return
	}
	s := &Sequential{Target: finite(h.Selection.UntilHalfWidth), Looks: len(looks)}
	for _, look := range looks {
		s.History = append(s.History, Look{
			Look: look.Number, Questions: look.Questions, Items: look.Items, Errors: look.Errors,
			Headline: look.Headline, RuleSet: look.RuleSet, Value: number(look.Value), HalfWidth: number(look.HalfWidth),
		})
		s.Confidence, s.Stopped = finite(look.Confidence), look.Stop
	}
	r.Sequential = s
	if s.Stopped == journal.StopNarrow {
		r.warn(aboutAccuracy, fmt.Sprintf("the run stopped by itself once the interval was narrow enough, after %s: the interval is a little optimistic, see Stopping",
			words.Several(s.Looks, "look")))
	}
}

func number(x *float64) stats.Number {
	if x == nil {
		return stats.Undefined
	}
	return stats.Of(*x)
}

// planned is how many items the run set out to ask: of one that stopped by itself those up to there.
func (r *Report) planned(h *journal.Header) int {
	if s := r.Sequential; s != nil && s.Stopped != "" {
		return s.History[len(s.History)-1].Items
	}
	return h.Selection.Items
}

func (r *Report) sequentialSection() page.Section {
	section := page.Section{Title: "Stopping"}
	s := r.Sequential
	if s == nil {
		return section
	}
	target := "± " + words.Points(stats.Of(s.Target), 2)
	section.Facts.Add("rule", "sequential", "in batches, until the interval is no wider than "+target)
	switch s.Stopped {
	case journal.StopNarrow:
		section.Facts.Add("stopped", "narrow enough", "after "+words.Several(s.Looks, "look"))
		section.Notes = []string{optimistic}
	case journal.StopAsked:
		section.Facts.Add("stopped", "all asked", fmt.Sprintf("after %s; the interval is still wider than %s, and no questions are left", words.Several(s.Looks, "look"), target))
	default:
		section.Facts.Add("stopped", "not yet", "after "+words.Several(s.Looks, "look")+"; run it again with --resume")
	}
	if len(s.History) == 0 {
		return section
	}
	section.Table = &page.Grid{Head: []string{"look", "questions", "items", s.History[0].Headline, "half width"}}
	for _, look := range s.History {
		section.Table.Add(words.Count(look.Look), words.Count(look.Questions), words.Count(look.Items), words.Percent(look.Value), "± "+words.Points(look.HalfWidth, 2))
	}
	return section
}
