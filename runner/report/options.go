package report

import (
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// An optionGroup has the figures by one property of the options.
type optionGroup struct {
	name    string
	figures []metrics.OptionFigures
}

// optionSection shows how a Binary run does on each kind of option: a table, and a drawing for each property; empty without figures.
func optionSection(t *metrics.ByOption, confidence float64) page.Section {
	s := page.Section{Title: "Kinds of option", Fold: "every figure by kind of option"}
	if t == nil {
		return s
	}
	interval := format.Confidence(confidence)
	for _, g := range []optionGroup{{"kind", t.Kinds}, {"letter", t.Letters}} {
		if len(g.figures) == 0 {
			continue
		}
		if s.Table == nil {
			s.Table = &page.Grid{Head: []string{"option's", "items", "right options", "balanced accuracy", interval, "TPR", interval, "TNR", interval,
				"called true"}}
			s.Notes = optionNotes(t)
		}
		for _, f := range g.figures {
			s.Table.Add(g.name+" "+words(f.Of), format.Count(f.Items), format.Count(f.Gold), format.Percent(f.Balanced), boundsOf(f.Balanced, f.CI),
				format.Percent(f.TPR), boundsOf(f.TPR, f.TPRCI), format.Percent(f.TNR), boundsOf(f.TNR, f.TNRCI),
				format.Percent(stats.Ratio(f.Called, f.Items)))
		}
		s.Drawings = append(s.Drawings, g.drawing(confidence))
	}
	return s
}

// boundsOf formats an interval; empty if its figure is undefined.
func boundsOf(value stats.Number, ci stats.Interval) string {
	if !value.Defined() {
		return format.Undefined
	}
	return format.Bounds(ci)
}

func optionNotes(t *metrics.ByOption) []string {
	all := []string{"by the option that the item asks about; guessing scores a balanced accuracy of 50 %"}
	if t.Unknown > 0 {
		all = append(all, format.Several(t.Unknown, "item")+" without kind: the journal lacks their prompts, or words them differently")
	}
	return all
}

// drawing draws the balanced accuracy of each value, with the guessing baseline.
func (g optionGroup) drawing(confidence float64) html.Drawing {
	s := html.Strips{Caption: "balanced accuracy by the option's " + g.name, Shows: "kinds of option by " + g.name,
		Head: []string{g.name, "balanced accuracy", format.Confidence(confidence), "TPR", "TNR", "items"}}
	for _, f := range g.figures {
		s.Rows = append(s.Rows, html.Strip{Name: words(f.Of), Value: f.Balanced, Interval: f.CI, Baseline: stats.Of(coin), Cells: []string{
			format.Percent(f.Balanced), boundsOf(f.Balanced, f.CI), format.Percent(f.TPR), format.Percent(f.TNR), format.Count(f.Items)}})
	}
	s.Axis = s.Shares()
	return s
}

// coin is a guesser's balanced accuracy.
const coin = 0.5

// words formats a kind or a letter for people.
func words(of string) string { return strings.ReplaceAll(of, "_", " ") }
