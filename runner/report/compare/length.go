package compare

import (
	"fmt"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// lengthSection compares the lengths of the runs' completions.
func lengthSection(c *pairs.Comparison) page.Section {
	s := page.Section{Title: "Length of completions"}
	grid := &page.Grid{Head: []string{"run", "items", "mean", "median", "5–95 %", "thinking", "hit the cap", "of items"}}
	for i := range c.Runs {
		l := &c.Runs[i].Length
		grid.Add(c.Runs[i].Name, format.Count(l.Items), format.Short(l.Mean), format.Short(l.P50), lengthSpan(l),
			format.Short(l.Thinking), format.Count(l.Capped), format.Percent(l.CappedShare))
		if l.Mean.Defined() || l.Capped > 0 {
			s.Table = grid
		}
	}
	if s.Table != nil {
		s.Drawings = lengthDrawings(c)
		s.Notes = []string{"output tokens per item of each run, thinking included; the cap is " + setting.MaxTokens.String()}
	}
	return s
}

// lengthSpan is the range of the middle 90 %.
func lengthSpan(l *pairs.Length) string {
	if !l.P5.Defined() {
		return format.Undefined
	}
	return fmt.Sprintf("%s–%s", format.Short(l.P5), format.Short(l.P95))
}

// floorSection compares the differences between a run's own repeats with those between the runs.
func floorSection(c *pairs.Comparison) page.Section {
	s := page.Section{Title: "A/A noise floor"}
	add := func(name string, repeats string, flips, changed, noise stats.Number) {
		if s.Table == nil {
			s.Table = &page.Grid{Head: []string{"", "repeats", "flips", "answers changed", "differ in some repeat"}}
		}
		s.Table.Add(name, repeats, format.Percent(flips), format.Percent(changed), format.Percent(noise))
	}
	for i := range c.Runs {
		if r := c.Runs[i].Repeats; r != nil {
			add(c.Runs[i].Name+" and itself", format.Count(r.Repeats), r.Flips, r.Changed, r.Noise)
		}
	}
	if s.Table == nil {
		return page.Section{}
	}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		add(p.A+" and "+p.B, "", p.Flips, p.AnswerChanged, stats.Undefined)
	}
	s.Notes = []string{"a run and itself: what its repeats lead to expect between two more runs of the same model; " +
		"two models with no more flips than that are not shown to differ"}
	return s
}
