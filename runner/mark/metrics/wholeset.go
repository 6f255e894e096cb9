package metrics

import (
	"cmp"

	"gonum.org/v1/gonum/floats"

	"proctor/prompts/task"
	"proctor/runner/mark/draw"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// chanceOfScored is [rightOfScored] for a guesser.
func chanceOfScored(v results.View) [][]float64 {
	var totals [][]float64
	for question := range v.Questions() {
		if all := guess.Items(question); len(all) > 0 {
			totals = append(totals, []float64{floats.Sum(all), float64(len(all))})
		}
	}
	return totals
}

// wholeSet sets what a sample says of the set that it was drawn from, of its questions alone, and has the estimate with the set's
// shares of questions like these stand for the run where the draw is not proportional to it.
func (r *Summary) wholeSet(s *settings, own taskMetrics, v results.View) {
	covers := cmp.Or(s.draw.Part, draw.WholeSet)
	r.Headline.Covers = cmp.Or(s.draw.Part, draw.Asked)
	if s.draw.Population == nil {
		return
	}
	score, baseline := own.wholeSet(v, stats.ThisSet)
	r.Stratified = &Stratified{
		Proportional: s.draw.Proportional, Headline: Headline{r.Headline.Name, score.Value, score.Interval, baseline, covers, ThisSet},
	}
	accuracy := score
	if r.Stratified.Baseline = baseline; r.Headline.Name != string(task.Accuracy) {
		right, guessed := s.draw.Samples(v, rightOfScored), s.draw.Samples(v, chanceOfScored)
		accuracy = stats.OfTotals(right, stats.ThisSet, stats.OfRatio, 0, 1, s.confidence)
		r.Stratified.Baseline = stats.OfTotals(guessed, stats.ThisSet, stats.OfRatio, 0, 1, s.confidence).Value
	}
	r.Stratified.Accuracy, r.Stratified.SE, r.Stratified.CI = accuracy.Value, accuracy.SE, accuracy.Interval
	if !s.draw.Proportional && score.Value.Defined() {
		plain := r.Headline
		plain.Covers, plain.Population = draw.Asked, ""
		score, baseline = own.wholeSet(v, stats.LikeThese)
		r.Sample, r.Headline = &plain, Headline{r.Headline.Name, score.Value, score.Interval, baseline, covers, LikeThese}
		if r.Circular == nil { // whose question mean is held against guessing
			r.trial = trial{score, baseline}
		}
		r.warn(AboutAccuracy, score.Warnings...)
	}
}
