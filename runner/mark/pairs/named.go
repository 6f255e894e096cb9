package pairs

import (
	"proctor/runner/mark/guess"
	"proctor/runner/mark/metrics"
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

// sideBySide sets the chosen metrics of the runs beside each other.
func (c *Comparison) sideBySide(o Options) error {
	if len(o.Metrics) == 0 {
		return nil
	}
	names := o.Metrics
	if len(names) == 1 && names[0] == AllMetrics {
		names = nil
	}
	var runs []metrics.Named
	for i := range c.Runs {
		named, err := metrics.NamedOf(c.Runs[i].Marked, metrics.Options{Confidence: o.Confidence}, names)
		if err != nil {
			return err
		}
		runs = append(runs, named)
	}
	for i, first := range runs[0].All {
		m := Metric{Name: first.Name, Plain: first.Plain}
		at := map[string]int{}
		for n, run := range runs {
			sum := []float64(nil)
			m.Runs = append(m.Runs, valueOf(run.All[i]))
			for _, subject := range run.Subjects {
				row, known := at[subject.Subject]
				if !known {
					row = len(m.Subjects)
					at[subject.Subject] = row
					m.Subjects = append(m.Subjects, SubjectMetric{subject.Subject, make([]Value, len(runs))})
				}
				m.Subjects[row].Runs[n] = valueOf(subject.Metrics[i])
				if x, defined := subject.Metrics[i].Value.Get(); defined {
					sum = append(sum, x)
				}
			}
			mean, _ := stats.Spread(sum)
			m.Means = append(m.Means, Value{Value: mean, Over: len(sum)})
		}
		c.Metrics = append(c.Metrics, m)
	}
	return nil
}
