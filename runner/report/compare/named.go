package compare

import (
	"fmt"

	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/report/page"
)

// metricSection is a metric's table.
func metricSection(m *pairs.Metric, c *pairs.Comparison) page.Section {
	s := page.Section{Title: m.Name, Table: &page.Grid{Head: []string{"subject"}}}
	for _, run := range c.Runs {
		s.Table.Head = append(s.Table.Head, run.Name, intervalName(c))
	}
	number, bounds := format.Percent, format.Bounds
	if m.Plain {
		number, bounds = format.Plain, format.PlainBounds
	}
	row := func(first string, values []pairs.Value, cells func(pairs.Value) (string, string)) {
		line := []string{first}
		for _, v := range values {
			value, beside := cells(v)
			line = append(line, value, beside)
		}
		s.Table.Add(line...)
	}
	own := func(v pairs.Value) (string, string) { return number(v.Value), bounds(v.CI) }
	row("all questions", m.Runs, own)
	row("mean of subjects", m.Means, func(v pairs.Value) (string, string) {
		return number(v.Value), fmt.Sprintf("of %d of %s", v.Over, format.Several(len(m.Subjects), "subject"))
	})
	for _, subject := range m.Subjects {
		row(subject.Subject, subject.Runs, own)
	}
	row("guessing, all questions", m.Runs, func(v pairs.Value) (string, string) { return number(v.Guess.Anew), "" })
	s.Notes = []string{"each run's own figure, of what it was asked; guessing draws a letter for every item anew"}
	return s
}
