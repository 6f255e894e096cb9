package metrics

import (
	"slices"

	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Measured is a run whose parts, a subject or several together, can be measured.
type Measured struct {
	Headline string // name of the run's main figure
	Usual    []string
	own      taskMetrics
}

// MeasuredOf takes a run's settings and its draw.
func MeasuredOf(run *results.Run, o Options) (*Measured, error) {
	_, t, own, err := o.of(run)
	if err != nil {
		return nil, err
	}
	m := &Measured{Headline: t.HeadlineName(run.Header.Pattern), own: own}
	if _, ok := own.(perf); ok {
		m.Usual = append(m.Usual, AccOrigin)
	}
	m.Usual = append(m.Usual, m.Headline)
	return m, nil
}

// Names are the names of all the task's figures.
func (m *Measured) Names(v results.View) []string { return namesOf(m.own.metrics(v)) }

// Of are the figures with the names of a part, all its questions counting alike; undefined ones where there is none of a name.
func (m *Measured) Of(v results.View, names []string) []Metric { return pick(m.own.metrics(v), names) }

// Macro is the headline of a part, each subject counting the same.
func (m *Measured) Macro(v results.View) stats.Estimate { return m.own.macro(v) }

// pick are the metrics with the names, undefined ones where there is none of a name.
func pick(all []Metric, names []string) []Metric {
	chosen := make([]Metric, len(names))
	for i, name := range names {
		chosen[i].Name = name
		if at := slices.Index(namesOf(all), name); at >= 0 {
			chosen[i] = all[at]
		}
	}
	return chosen
}

func namesOf(all []Metric) (names []string) {
	for _, m := range all {
		names = append(names, m.Name)
	}
	return names
}

func (a accuracy) metrics(v results.View) []Metric { return a.shared(v) }

// shared are the metrics that all tasks have.
func (s *settings) shared(v results.View) []Metric {
	t := v.Tally()
	return []Metric{
		{Name: "accuracy", Value: t.Accuracy(), Over: t.Scored(), CI: s.accuracy(v).Interval, Guess: guess.Alike(guess.Expected(v))},
		{Name: "accuracy_answered", Value: stats.Ratio(t.Correct, t.Answered), Over: t.Answered, CI: s.accuracy(answered(v)).Interval,
			Guess: guess.Alike(guess.Expected(answered(v)))},
	}
}

func (b balanced) metrics(v results.View) []Metric {
	questions := confusions(v)
	estimate := b.estimate(questions)
	var f Binary
	b.rates(&f, questions, v)
	b.wholeQuestions(&f, v)
	t := v.Tally()
	even := guess.Alike(stats.Of(coin))
	return append([]Metric{
		{Name: "balanced_accuracy", Value: estimate.Value, Over: t.Scored(), CI: estimate.Interval, Guess: even},
		{Name: "tpr", Value: f.TPR, Over: t.Scored(), CI: f.TPRCI}, {Name: "tnr", Value: f.TNR, Over: t.Scored(), CI: f.TNRCI},
		{Name: "mcc", Value: f.MCC, Over: t.Scored(), Guess: guess.Alike(stats.Of(0)), Plain: true},
		{Name: "f1", Value: f.F1, Over: t.Scored(), CI: f.F1CI, Plain: true},
		{Name: "question_exact", Value: f.Exact, Over: f.QuestionsComplete, CI: f.ExactCI, Guess: guess.Alike(f.ExactChance)},
		{Name: "question_gold_only", Value: f.GoldOnly, Over: f.QuestionsComplete, CI: f.GoldOnlyCI, Guess: guess.Alike(f.ExactChance)},
	}, b.shared(v)...)
}
