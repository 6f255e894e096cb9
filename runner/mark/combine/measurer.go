package combine

import (
	"slices"

	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A Figure is a named figure of some subjects.
type Figure struct {
	Value    stats.Number   `json:"value,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
	SE       stats.Number   `json:"stderr,omitzero"`    // standard error of a run's score, from its report
	Baseline stats.Number   `json:"baseline,omitzero"`  // score of guessing a letter anew for every item
	Over     int            `json:"over,omitempty"`     // items or questions
	Subjects int            `json:"subjects,omitempty"` // of the group that have the figure
}

// A Measurer makes the figures of a run's groups.
type Measurer struct {
	Subjects []string // of the run, in order

	run  *metrics.Measured
	view results.View
	own  map[string][]metrics.Metric // of each subject
}

// MeasurerOf takes the figures of a run.
func MeasurerOf(run *results.Run, measured *metrics.Measured) *Measurer {
	m := &Measurer{run: measured, view: run.View(0), own: map[string][]metrics.Metric{}}
	for part := range m.view.Subjects() {
		subject := part.Items[0].Subject
		m.Subjects, m.own[subject] = append(m.Subjects, subject), measured.Of(part)
	}
	return m
}

// Subject returns one subject's figures, in the order of their names; none for a subject that the run does not have.
func (m *Measurer) Subject(subject string) []Figure {
	var all []Figure
	for _, metric := range m.own[subject] {
		all = append(all, figureOf(metric, 1))
	}
	return all
}

func figureOf(m metrics.Metric, subjects int) Figure {
	return Figure{m.Value, m.CI, stats.Undefined, m.Guess.Anew, m.Over, subjects}
}

// Group returns the figures of several subjects together, whose questions are pooled as in the report of a run, in the
// order of their names; none where the run has none of the subjects.
func (m *Measurer) Group(subjects []string) []Figure {
	present := slices.DeleteFunc(slices.Clone(subjects), func(s string) bool { return m.own[s] == nil })
	if len(present) == 0 {
		return nil
	}
	part := m.view.Where(func(it *results.Item) bool { return slices.Contains(present, it.Subject) })
	var all []Figure
	for i, metric := range m.run.Of(part) {
		have := 0
		for _, subject := range present {
			if m.own[subject][i].Value.Defined() {
				have++
			}
		}
		all = append(all, figureOf(metric, have))
	}
	return all
}
