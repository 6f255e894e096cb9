package metrics

import (
	"proctor/runner/results"
	"proctor/runner/stats"
)

// accuracy is what a task is measured by that asks every question as it is: one item a question, unless that is asked
// again.
type accuracy struct{ *settings }

func (a accuracy) guessed(v results.View) stats.Number { return a.guessedBy(v, v) }

func (accuracy) figures(*Figures, results.View) {}

func (a accuracy) measure(r *Summary, v results.View) {
	estimate := a.accuracy(v)
	if a.repeats > 1 {
		estimate = stats.Mean(questionMeans(v), a.confidence)
	}
	r.Headline.Value, r.Headline.CI = estimate.Value, estimate.Interval
	r.Headline.Baseline = average(questionChances(v))
	r.trial = trial{estimate, r.Headline.Baseline}
	r.Baseline.Constant = constantLetter(v)
	r.ChanceCorrected = chanceCorrected(r.Accuracy, r.Baseline.Expected)
	r.setMacro(stats.Macro(a.draw.strata(v, questionMeans), a.confidence))
}

func (a accuracy) wholeSet(v results.View, of stats.Population) (stats.Estimate, stats.Number) {
	return stats.Stratified(a.draw.strata(v, questionMeans), of, a.confidence),
		stats.Stratified(a.draw.strata(v, questionChances), of, a.confidence).Value
}

// constantLetter is the letter that is gold most often, the first of them where several are.
func constantLetter(v results.View) *Constant {
	best, total := Letter{}, 0
	for _, letter := range letterCounts(v) {
		total += letter.Gold
		if letter.Gold > best.Gold {
			best = letter
		}
	}
	if total == 0 {
		return nil
	}
	return &Constant{best.Letter, stats.Ratio(best.Gold, total)}
}
