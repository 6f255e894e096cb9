package metrics

import (
	"slices"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A wholeSet is what is known of the set that a run until a half width draws from by chance.
type wholeSet struct {
	questions, options, most int // options of all questions together, and the most of one
}

func wholeSetOf(h *journal.Header) wholeSet {
	w := wholeSet{options: h.Selection.PopulationOptions, most: h.Dataset.Options}
	for _, n := range h.Selection.Population {
		w.questions += n
	}
	return w
}

// anytime sets the headline's interval of a run until a half width to one that holds whenever such a run stops: for the whole set,
// from the questions in the order in which they were drawn. Where all of the set was asked, nothing was left to chance.
func (r *Summary) anytime(h *journal.Header, own taskMetrics, v results.View, s *settings, atInterim bool) {
	stopped := r.Sequential != nil && r.Sequential.Stopped != ""
	if h.Selection.UntilHalfWidth <= 0 || s.whole.options == 0 || !stopped && !atInterim || r.Questions >= s.whole.questions {
		return
	}
	known, most := own.known(v)
	var ranks []string
	of := map[string]stats.Range{}
	for question := range v.Questions() {
		it := question.Items[0]
		rank := h.Selection.Rank(it.Subject, it.QuestionID)
		of[rank], ranks = known[len(ranks)], append(ranks, rank)
	}
	var scores []stats.Range
	for _, rank := range slices.Sorted(slices.Values(ranks)) {
		scores = append(scores, of[rank])
	}
	r.Headline.CI = stats.MeanSequence(scores, s.whole.questions, most, h.Selection.UntilHalfWidth, s.confidence)
	r.Headline.CI.High = min(r.Headline.CI.High, 1)
	r.Headline.Population = ThisSet
	if r.Circular == nil {
		r.trial.estimate = stats.Estimate{Value: r.Headline.Value, Interval: r.Headline.CI}
	}
	if r.Headline.Name == string(task.Accuracy) {
		r.CI = r.Headline.CI
	}
}

// known are the shares of each question's items that are right, where failed ones may be either.
func (accuracy) known(v results.View) (scores []stats.Range, most float64) {
	for question := range v.Questions() {
		t := question.Tally()
		scores = append(scores, rangeOf(t.Correct, t.Errors, t.Items))
	}
	return scores, 1
}

// rangeOf is k of n, and open more at most.
func rangeOf(k, open, n int) stats.Range {
	return stats.Range{Least: float64(k) / float64(n), Most: float64(k+open) / float64(n)}
}

// known are scores whose mean over the set is its balanced accuracy: half the share of the gold options that are called true, and
// half that of the others called false, of as many as a question of the set has on average.
func (b balanced) known(v results.View) (scores []stats.Range, most float64) {
	others, largest := float64(b.whole.options)/float64(b.whole.questions)-1, float64(b.whole.most-1)
	for question := range v.Questions() {
		least, open := 0.0, 0.0
		for a := range question.Answers() {
			weight := 0.5 / float64(b.repeats)
			if a.Gold != yes {
				weight /= others
			}
			if a.Correct {
				least += weight
			}
			if a.Tag.IsError() {
				open += weight
			}
		}
		scores = append(scores, stats.Range{Least: least, Most: least + open})
	}
	return scores, 0.5 + 0.5*largest/others
}

// known are the shares of each question's repeats with all variants right, where those that are not whole may be either.
func (p perf) known(v results.View) (scores []stats.Range, most float64) {
	for question := range v.Questions() {
		whole := p.headline(question).whole
		right := sumOf(judged(whole, allRight)).Successes
		scores = append(scores, rangeOf(right, max(0, p.repeats-len(whole)), p.repeats))
	}
	return scores, 1
}
