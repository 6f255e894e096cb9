package combine

import (
	"slices"

	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// The means: how a group's figure is made of its subjects.
const (
	Weighted = "weighted" // each question counts the same, so that a subject counts by its questions
	Plain    = "plain"    // each subject counts the same (OpenCompass's naive average)
)

// Means are both, the default first.
var Means = []string{Weighted, Plain}

// A Figure is a named figure of some subjects.
type Figure struct {
	Value    stats.Number   `json:"value,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
	SE       stats.Number   `json:"stderr,omitzero"`    // standard error of a run's score, from its report
	Baseline stats.Number   `json:"baseline,omitzero"`  // score of guessing a letter anew for every item
	Over     int            `json:"over,omitempty"`     // items or questions
	Subjects int            `json:"subjects,omitempty"` // of the group that have the figure
	Plain    bool           `json:"-"`                  // a coefficient, no share
}

// A Measurer makes the figures of a run's groups.
type Measurer struct {
	Subjects []string // of the run, in order

	run   *metrics.Measured
	view  results.View
	parts map[string]results.View
	own   map[string][]metrics.Metric // of each subject, in the order of names
	names []string
}

// MeasurerOf takes the figures of a run with the names.
func MeasurerOf(run *results.Run, measured *metrics.Measured, names []string) *Measurer {
	m := &Measurer{run: measured, view: run.View(0), parts: map[string]results.View{}, own: map[string][]metrics.Metric{}, names: names}
	for part := range m.view.Subjects() {
		subject := part.Items[0].Subject
		m.Subjects = append(m.Subjects, subject)
		m.parts[subject], m.own[subject] = part, measured.Of(part, names)
	}
	return m
}

// Subject are one subject's figures, in the order of the names; none for a subject that the run does not have.
func (m *Measurer) Subject(subject string) []Figure {
	var all []Figure
	for _, metric := range m.own[subject] {
		all = append(all, figureOf(metric, 1))
	}
	return all
}

func figureOf(m metrics.Metric, subjects int) Figure {
	return Figure{m.Value, m.CI, stats.Undefined, m.Guess.Anew, m.Over, subjects, m.Plain}
}

// Group are the figures of several subjects together, in the order of the names; none where the run has none of them.
//
// Where all questions count alike they are pooled, as in the report of a run. Otherwise the figure is the mean over subjects, with an
// interval by square-and-add of theirs, and the headline's is the report's mean over subjects.
func (m *Measurer) Group(subjects []string, mean string) []Figure {
	present := slices.DeleteFunc(slices.Clone(subjects), func(s string) bool { return m.own[s] == nil })
	if len(present) == 0 {
		return nil
	}
	part := m.view.Where(func(it *results.Item) bool { return slices.Contains(present, it.Subject) })
	if mean == Weighted {
		var all []Figure
		for i, metric := range m.run.Of(part, m.names) {
			all = append(all, figureOf(metric, m.have(present, i)))
		}
		return all
	}
	var all []Figure
	for i, name := range m.names {
		f := m.sum(present, i)
		if name == m.run.Headline {
			estimate := m.run.Macro(part)
			f.Value, f.CI = estimate.Value, estimate.Interval
		}
		all = append(all, f)
	}
	return all
}

// have counts the subjects that have a figure; at is its index in the names.
func (m *Measurer) have(subjects []string, at int) int {
	n := 0
	for _, subject := range subjects {
		if m.own[subject][at].Value.Defined() {
			n++
		}
	}
	return n
}

// sum is the mean of one figure over the subjects that have it; at is its index in the names.
func (m *Measurer) sum(subjects []string, at int) Figure {
	var parts []Figure
	var none Figure
	for _, subject := range subjects {
		own := m.own[subject][at]
		if none.Plain = own.Plain; own.Value.Defined() {
			parts = append(parts, figureOf(own, 1))
		}
	}
	if len(parts) == 0 {
		return none
	}
	return MeanOf("subjects'", parts, false)
}
