package metrics

import (
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Measured is a run of which any part can be measured: a subject, or several together.
type Measured struct {
	Headline string // the figure that stands for the run, by its name
	Usual    []string
	// Weights are the questions of each subject in the set, where the asked ones have not the set's shares; nil where all questions
	// count alike.
	Weights map[string]int

	own taskMetrics
}

// MeasuredOf takes a run's settings and its draw.
func MeasuredOf(run *results.Run, o Options) (*Measured, error) {
	s, t, own, err := o.of(run)
	if err != nil {
		return nil, err
	}
	m := &Measured{Headline: t.HeadlineName(run.Header.Pattern), own: own}
	if several, ok := own.(perf); ok {
		m.Headline = "perf_" + several.name()
		m.Usual = append(m.Usual, AccOrigin)
	}
	m.Usual = append(m.Usual, m.Headline)
	if !s.draw.Proportional {
		m.Weights = s.draw.Population
	}
	return m, nil
}

// Names are those of all figures that the task has.
func (m *Measured) Names(v results.View) []string { return namesOf(m.own.metrics(v)) }

// Of are the figures with the names of a part, all its questions counting alike; undefined ones where there is none of a name.
func (m *Measured) Of(v results.View, names []string) []Metric { return pick(m.own.metrics(v), names) }

// Weighted is the headline of a part, each subject counting by its share of the set.
func (m *Measured) Weighted(v results.View) stats.Estimate {
	e, _ := m.own.wholeSet(v, stats.LikeThese)
	return e
}

// Macro is the headline of a part, each subject counting the same.
func (m *Measured) Macro(v results.View) stats.Estimate { return m.own.macro(v) }
