package metrics

import (
	"proctor/prompts/task"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Measured is a run whose parts, a subject or several together, can be measured.
type Measured struct {
	Names []string // of the figures that a table shows: the score, and acc_origin before that of several orders
	own   taskMetrics
}

// MeasuredOf takes a run's settings.
func MeasuredOf(run *results.Run, o Options) (*Measured, error) {
	_, t, own, err := o.of(run)
	if err != nil {
		return nil, err
	}
	m := &Measured{Names: []string{t.HeadlineName(run.Header.Pattern)}, own: own}
	if t.Headline == task.Perf {
		m.Names = []string{AccOrigin, m.Names[0]}
	}
	return m, nil
}

// Of returns the figures of a part, all its questions counting alike, in the order of the names.
func (m *Measured) Of(v results.View) []Metric { return m.own.shown(v) }

func (a accuracy) shown(v results.View) []Metric {
	t := v.Tally()
	return []Metric{{Name: "accuracy", Value: t.Accuracy(), Over: t.Scored(), CI: a.accuracy(v).Interval,
		Guess: guess.Alike(guess.Expected(v))}}
}

func (b balanced) shown(v results.View) []Metric {
	estimate := b.estimate(confusions(v))
	return []Metric{{Name: string(task.BalancedAccuracy), Value: estimate.Value, Over: v.Tally().Scored(),
		CI: estimate.Interval, Guess: guess.Alike(stats.Of(coin))}}
}

func (p perf) shown(v results.View) []Metric {
	return []Metric{p.origin(v).accuracy(), p.headline(v).perfect()}
}
