package metrics

import (
	"cmp"
	"slices"

	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// accuracy measures a task that asks every question as it is: one item a question, not counting repeats.
type accuracy struct{ *settings }

func (a accuracy) guessed(v results.View) stats.Number { return a.guessedBy(v, v) }

func (accuracy) figures(*Figures, results.View) {}

func (a accuracy) measure(r *Summary, v results.View) {
	estimate := a.accuracy(v)
	if a.repeats > 1 {
		estimate = stats.Mean(v.QuestionMeans(), a.confidence)
	}
	r.Headline.Value, r.Headline.CI, r.Headline.SE = estimate.Value, estimate.Interval, estimate.SE
	r.Headline.Baseline = average(guess.Questions(v))
	r.trial = trial{estimate, r.Headline.Baseline}
	r.Baseline.Constant = constantLetter(v)
	r.ChanceCorrected = chanceCorrected(r.Accuracy, r.Baseline.Expected)
	r.setMacro(a.macro(v))
}

func (a accuracy) macro(v results.View) stats.Estimate {
	return stats.Macro(bySubject(v, results.View.QuestionMeans), a.confidence)
}

// constantLetter is the letter that is gold most often, the first of them where several are.
func constantLetter(v results.View) *Constant {
	counts := v.Letters()
	if len(counts) == 0 {
		return nil
	}
	best := slices.MaxFunc(counts, func(a, b results.Letter) int { return cmp.Compare(a.Gold, b.Gold) })
	return &Constant{best.Letter, best.GoldShare}
}
