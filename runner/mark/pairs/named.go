package pairs

import (
	"fmt"
	"slices"
	"strings"

	"proctor/runner/mark/guess"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A Metric is one figure of all runs side by side, each run's own: of all its questions, of each subject's, and the mean of
// the subjects, each counting the same (OpenCompass's naive average of subsets).
type Metric struct {
	Name     string          `json:"metric"`
	Runs     []Value         `json:"runs"`          // in the runs' order, as in the others
	Means    []Value         `json:"naive_average"` // over the subjects that have the figure
	Subjects []SubjectMetric `json:"subjects,omitempty"`

	Plain bool `json:"-"` // a coefficient, no share
}

// SubjectMetric is a metric of one subject.
type SubjectMetric struct {
	Subject string  `json:"subject"`
	Runs    []Value `json:"runs"`
}

// A Value is one run's.
type Value struct {
	Value stats.Number   `json:"value,omitzero"`
	CI    stats.Interval `json:"ci,omitzero"`
	Guess guess.Scores   `json:"baseline,omitzero"`
	Over  int            `json:"over,omitempty"` // questions or items; of a mean, subjects
}

func valueOf(m metrics.Metric) Value { return Value{m.Value, m.CI, m.Guess, m.Over} }

// sideBySide sets the chosen metrics of the runs beside each other. Names that a run's task does not have are refused.
func (c *Comparison) sideBySide(o Options) error {
	names, rows := o.Metrics, map[string]int{} // rows by subject
	for n := range c.Runs {
		if len(names) == 0 {
			return nil
		}
		run := c.Runs[n].Marked
		measured, err := metrics.MeasuredOf(run, metrics.Options{Confidence: o.Confidence})
		if err != nil {
			return err
		}
		v := run.View(0)
		has := measured.Names(v)
		if n == 0 && len(names) == 1 && names[0] == AllMetrics {
			names = has
		}
		for _, name := range names {
			if !slices.Contains(has, name) && o.Metrics[0] != AllMetrics {
				return fmt.Errorf("%s has no metric %q; there are %s", run.Header.Task, name, strings.Join(has, ", "))
			}
		}
		c.addRun(n, v, func(part results.View) []metrics.Metric { return measured.Of(part, names) }, rows)
	}
	return nil
}

// addRun sets a run's values of all metrics, of has all its questions and of each subject's.
func (c *Comparison) addRun(n int, v results.View, has func(results.View) []metrics.Metric, rows map[string]int) {
	own := has(v)
	if n == 0 {
		c.Metrics = make([]Metric, len(own))
	}
	defined := make([][]float64, len(own)) // of the subjects
	for part := range v.Subjects() {
		subject := part.Items[0].Subject
		row, known := rows[subject]
		if !known {
			row = len(rows)
			rows[subject] = row
		}
		for i, metric := range has(part) {
			m := &c.Metrics[i]
			if !known {
				m.Subjects = append(m.Subjects, SubjectMetric{subject, make([]Value, len(c.Runs))})
			}
			m.Subjects[row].Runs[n] = valueOf(metric)
			if x, known := metric.Value.Get(); known {
				defined[i] = append(defined[i], x)
			}
		}
	}
	for i, metric := range own {
		m := &c.Metrics[i]
		if n == 0 {
			m.Name, m.Plain = metric.Name, metric.Plain
		}
		mean, _ := stats.Spread(defined[i])
		m.Runs, m.Means = append(m.Runs, valueOf(metric)), append(m.Means, Value{Value: mean, Over: len(defined[i])})
	}
}
