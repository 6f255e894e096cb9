package metrics

import (
	"slices"

	"proctor/runner/mark/byoption"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

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
