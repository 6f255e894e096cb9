package metrics

import (
	"maps"
	"slices"

	"proctor/runner/journal"
	"proctor/runner/results"
	"proctor/runner/stats"
	"proctor/runner/words"
)

// A draw is how the asked questions stand to the set that they were drawn from.
type draw struct {
	population   map[string]int // questions of each subject in the set; nil where all are asked, or the journal does not tell
	unasked      int            // subjects of the set without an asked question
	proportional bool           // each subject has its share of the asked questions, up to rounding or by chance
}

// drawOf is the draw of a run's items.
func drawOf(selection journal.Selection, v results.View) draw {
	d := draw{population: maps.Clone(selection.Population), proportional: true}
	if only := selection.Subjects; len(only) > 0 {
		maps.DeleteFunc(d.population, func(subject string, _ int) bool { return !slices.Contains(only, subject) })
	}
	asked, all, total := map[string]int{}, 0, 0
	for part := range v.Subjects() {
		asked[part.Items[0].Subject] = part.Tally().Questions
		all += part.Tally().Questions
	}
	for subject, size := range d.population {
		total += size
		if asked[subject] == 0 {
			d.unasked++
		}
	}
	if selection.First || all >= total { // the first questions are no sample
		d.population, d.unasked = nil, 0
	}
	if selection.UntilHalfWidth > 0 && selection.PopulationOptions > 0 {
		return d // drawn by chance, each question stands for as many
	}
	d.proportional = stats.Proportional(d.population, asked)
	return d
}

// Weights are the questions of each subject in the set, where the headline of what was asked is an estimate for the whole set;
// nil where all questions count alike.
func Weights(h *journal.Header, v results.View) map[string]int {
	if d := drawOf(h.Selection, v); d.sampled() && !d.proportional {
		return d.population
	}
	return nil
}

// sampled says whether the set is known of which the asked questions are a sample.
func (d draw) sampled() bool { return d.population != nil }

// strata are the scores of each subject's questions.
func (d draw) strata(v results.View, scores func(results.View) []float64) []stats.Stratum {
	var strata []stats.Stratum
	for part := range v.Subjects() {
		strata = append(strata, stats.Stratum{Population: d.population[part.Items[0].Subject], Scores: scores(part)})
	}
	return strata
}

// samples are the totals of each subject's questions.
func (d draw) samples(v results.View, totals func(results.View) [][]float64) []stats.Sample {
	var samples []stats.Sample
	for part := range v.Subjects() {
		samples = append(samples, stats.Sample{Population: d.population[part.Items[0].Subject], Questions: totals(part)})
	}
	return samples
}

// rightOfScored are the right and the scored items of each question that has any.
func rightOfScored(v results.View) [][]float64 {
	var totals [][]float64
	for _, c := range clusters(v) {
		if c.Items > 0 {
			totals = append(totals, []float64{float64(c.Successes), float64(c.Items)})
		}
	}
	return totals
}

// chanceOfScored is that for a guesser.
func chanceOfScored(v results.View) [][]float64 {
	var totals [][]float64
	for question := range v.Questions() {
		if all := chances(question); len(all) > 0 {
			sum, _ := average(all).Get()
			totals = append(totals, []float64{sum * float64(len(all)), float64(len(all))})
		}
	}
	return totals
}

// wholeSet sets what a sample says of the whole set, of its questions alone, and has the estimate with the set's shares of
// questions like these stand for the run where the draw is not proportional to it.
func (r *Summary) wholeSet(s *settings, own taskMetrics, v results.View) {
	r.Headline.Covers = Asked
	if !s.draw.sampled() {
		return
	}
	accuracy := stats.OfTotals(s.draw.samples(v, rightOfScored), stats.ThisSet, stats.OfRatio, 0, 1, s.confidence)
	guessed := stats.OfTotals(s.draw.samples(v, chanceOfScored), stats.ThisSet, stats.OfRatio, 0, 1, s.confidence)
	score, baseline := own.wholeSet(v, stats.ThisSet)
	if s.independent { // one item a question: the same figure, whose interval can be Wilson's
		accuracy = score
	}
	r.Stratified = &Stratified{
		Accuracy: accuracy.Value, SE: accuracy.SE, CI: accuracy.Interval, Baseline: guessed.Value, Proportional: s.draw.proportional,
		Headline: Headline{r.Headline.Name, score.Value, score.Interval, baseline, WholeSet, ThisSet},
	}
	if s.draw.unasked > 0 {
		r.warn(AboutAccuracy, words.Several(s.draw.unasked, "subject")+" of the set not asked: "+
			"the estimate for the whole set is without them")
	}
	if !s.draw.proportional && score.Value.Defined() {
		plain := r.Headline
		plain.Population = ""
		score, baseline = own.wholeSet(v, stats.LikeThese)
		r.Sample, r.Headline = &plain, Headline{r.Headline.Name, score.Value, score.Interval, baseline, WholeSet, LikeThese}
		if r.Circular == nil { // whose question mean is held against guessing
			r.trial = trial{score, baseline}
		}
		r.warn(AboutAccuracy, score.Warnings...)
	}
}

// subjectMean is the mean over subjects of a figure, as far as they have it.
func (r *Summary) subjectMean(of func(Figures) stats.Number) stats.Number {
	var values []float64
	for _, subject := range r.Subjects {
		if x, defined := of(subject.Figures).Get(); defined {
			values = append(values, x)
		}
	}
	return average(values)
}
