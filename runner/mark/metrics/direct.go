package metrics

import (
	"math"

	"proctor/backends/setting"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Direct are the figures of a direct run: the quality of the model's probabilities of the letters, besides whether the likeliest
// letter is right. Intervals take the questions as their units.
//
// There are two ways to normalise a letter's probability. Among the question's letters, so that they add up to 1, it is the base of
// the likeliest letter and the Brier score (lm-evaluation-harness, HELM; p_Choices of Schaeffer et al. 2024, arXiv 2406.04391), and
// comes first here. Over the whole vocabulary it also depends on whether the model would answer with a letter: log p_vocabulary = log
// p_letters + log mass.
type Direct struct {
	Items int `json:"items"` // with the letters' probabilities

	GoldLogprob   stats.Number   `json:"gold_logprob,omitzero"` // mean natural logarithm of the gold letter's, among the letters
	GoldLogprobCI stats.Interval `json:"gold_logprob_ci,omitzero"`
	GoldGuess     stats.Number   `json:"gold_logprob_baseline,omitzero"` // of the same probability for every letter: mean of −ln options

	GoldVocabulary   stats.Number   `json:"gold_logprob_vocabulary,omitzero"` // over the whole vocabulary
	GoldVocabularyCI stats.Interval `json:"gold_logprob_vocabulary_ci,omitzero"`

	LetterMass   stats.Number   `json:"letter_mass,omitzero"` // mean over questions of the probability of all their letters together
	LetterMassCI stats.Interval `json:"letter_mass_ci,omitzero"`

	Brier      stats.Number   `json:"brier,omitzero"` // mean over items of the squared error over all letters, 0 to 2; lower is better
	BrierCI    stats.Interval `json:"brier_ci,omitzero"`
	BrierGuess stats.Number   `json:"brier_baseline,omitzero"` // of the same probability for every letter: mean of 1 − 1/options

	Confidence       stats.Number   `json:"mean_confidence,omitzero"` // mean probability of the likeliest letter
	Overconfidence   stats.Number   `json:"overconfidence,omitzero"`  // mean confidence − accuracy
	OverconfidenceCI stats.Interval `json:"overconfidence_ci,omitzero"`
}

// An estimated item is one with known probabilities of its letters.
type estimated struct {
	results.Answer
	results.LetterProbabilities
}

// fewLetters is the mass on the letters below which a warning says that the model would not answer with one.
const fewLetters = 0.5

func (r *Summary) direct(s *settings, v results.View) {
	r.Direct = s.direct(v)
	if r.Direct != nil && r.Direct.LetterMass.Or(1) < fewLetters {
		r.warn(AboutDirect, "the model expects something else than a letter here, so the letters' probabilities mean less: "+
			"try another "+setting.Style.String()+" or "+setting.Prompt.String())
	}
}

// direct are the figures of a view's items; nil where none has probabilities.
func (s *settings) direct(v results.View) *Direct {
	d := &Direct{}
	for range estimates(v) {
		d.Items++
	}
	if d.Items == 0 {
		return nil
	}
	infinite := math.Inf(1)
	mean := func(least, most float64, of func(estimated) float64) (stats.Number, stats.Interval) {
		e := s.meanBy(v, least, most, of)
		return e.Value, e.Interval
	}
	d.GoldLogprob, d.GoldLogprobCI = mean(-infinite, 0, func(e estimated) float64 { return e.Gold })
	d.GoldVocabulary, d.GoldVocabularyCI = mean(-infinite, 0, func(e estimated) float64 { return e.Vocabulary })
	d.LetterMass, d.LetterMassCI = mean(0, 1, func(e estimated) float64 { return e.Mass })
	d.Brier, d.BrierCI = mean(0, 2, func(e estimated) float64 { return e.Brier })
	d.GoldGuess, _ = mean(-infinite, 0, func(e estimated) float64 { return -math.Log(float64(e.Options)) })
	d.BrierGuess, _ = mean(0, 2, func(e estimated) float64 { return 1 - guess.Item(e.Item) })
	d.Confidence, _ = mean(0, 1, func(e estimated) float64 { return e.Confidence })
	d.Overconfidence, d.OverconfidenceCI = mean(-1, 1, func(e estimated) float64 {
		if e.Correct {
			return e.Confidence - 1
		}
		return e.Confidence
	})
	return d
}

// estimates yields the scored items with known probabilities of their letters.
func estimates(v results.View) func(yield func(estimated) bool) {
	return func(yield func(estimated) bool) {
		for a := range v.Scored() {
			if p, known := a.Probabilities(); known && !yield(estimated{a, p}) {
				return
			}
		}
	}
}

// meanBy is the mean of something over items, with the questions as the units of its interval.
func (s *settings) meanBy(v results.View, least, most float64, of func(estimated) float64) stats.Estimate {
	var questions [][]float64
	for question := range v.Questions() {
		totals := []float64{0, 0}
		for e := range estimates(question) {
			totals[0], totals[1] = totals[0]+of(e), totals[1]+1
		}
		if totals[1] > 0 {
			questions = append(questions, totals)
		}
	}
	return stats.OfTotals([]stats.Sample{questions}, stats.OfRatio, least, most, s.confidence)
}
