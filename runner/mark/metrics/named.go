package metrics

import (
	"fmt"
	"slices"
	"strings"

	"proctor/runner/mark/byoption"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Named are the figures that a run's task is measured by, under the names that the JSON report has for them, of the asked
// questions and of each subject's.
type Named struct {
	All      []Metric
	Subjects []SubjectMetrics
}

// SubjectMetrics are those of one subject.
type SubjectMetrics struct {
	Subject string
	Metrics []Metric
}

// NamedOf makes the named figures of a run. With names they are those, in that order; names that the run's task does not
// have are refused.
func NamedOf(run *results.Run, o Options, names []string) (Named, error) {
	m, err := MeasuredOf(run, o)
	if err != nil {
		return Named{}, err
	}
	v := run.View(0)
	has := m.Names(v)
	if len(names) == 0 {
		names = has
	}
	for _, name := range names {
		if !slices.Contains(has, name) {
			return Named{}, fmt.Errorf("%s has no metric %q; there are %s", run.Header.Task, name, strings.Join(has, ", "))
		}
	}
	n := Named{All: m.Of(v, names)}
	for part := range v.Subjects() {
		n.Subjects = append(n.Subjects, SubjectMetrics{part.Items[0].Subject, m.Of(part, names)})
	}
	return n, nil
}

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
		{Name: "accuracy", Value: t.Accuracy(), Over: t.Scored(), CI: s.accuracy(v).Interval, Guess: guess.Alike(expected(v))},
		{Name: "accuracy_answered", Value: stats.Ratio(t.Correct, t.Answered), Over: t.Answered, CI: s.accuracy(answered(v)).Interval,
			Guess: guess.Alike(expected(answered(v)))},
	}
}

func (b balanced) metrics(v results.View) []Metric {
	questions := byoption.Confusions(v)
	estimate := b.estimate(questions)
	var f Binary
	b.rates(&f, questions, v)
	b.wholeQuestions(&f, v, b.half)
	t := v.Tally()
	even := guess.Alike(stats.Of(coin))
	return append([]Metric{
		{Name: "balanced_accuracy", Value: estimate.Value, Over: t.Scored(), CI: estimate.Interval, Guess: even},
		{Name: "tpr", Value: f.TPR, Over: t.Scored(), CI: f.TPRCI}, {Name: "tnr", Value: f.TNR, Over: t.Scored(), CI: f.TNRCI},
		{Name: "mcc", Value: f.MCC, Over: t.Scored(), CI: f.MCCCI, Guess: guess.Alike(stats.Of(0)), Plain: true},
		{Name: "f1", Value: f.F1, Over: t.Scored(), CI: f.F1CI, Plain: true},
		{Name: "question_exact", Value: f.Exact, Over: f.QuestionsComplete, CI: f.ExactCI, Guess: guess.Alike(f.ExactChance)},
		{Name: "question_gold_only", Value: f.GoldOnly, Over: f.QuestionsComplete, CI: f.GoldOnlyCI, Guess: guess.Alike(f.ExactChance)},
	}, b.shared(v)...)
}
