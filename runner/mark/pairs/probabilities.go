package pairs

import (
	"math"

	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Probabilities set beside each other what two direct runs said of the letters. They change a little on every question, where
// accuracy changes on the few whose likeliest letter does: the same questions tell far smaller differences. A unit is a question,
// with the mean over its items.
type Probabilities struct {
	Questions      int   `json:"questions"`
	GoldLogprob    Shift `json:"gold_logprob"`            // natural logarithm of the gold letter's probability among the letters
	GoldVocabulary Shift `json:"gold_logprob_vocabulary"` // over the whole vocabulary
	Brier          Shift `json:"brier"`                   // lower is better
	LetterMass     Shift `json:"letter_mass"`             // probability of all letters together
}

// A Shift is the mean of a figure in both runs, and the mean difference B − A with its interval and p by Student's t.
type Shift struct {
	ValueA     stats.Number   `json:"value_a,omitzero"`
	ValueB     stats.Number   `json:"value_b,omitzero"`
	Difference stats.Number   `json:"difference,omitzero"`
	SE         stats.Number   `json:"difference_se,omitzero"`
	CI         stats.Interval `json:"difference_ci,omitzero"`
	PValue     stats.Number   `json:"p_value,omitzero"`
}

// probabilities compares the questions of two runs; nil where not every shared item has them.
func probabilities(questions []question, confidence float64) *Probabilities {
	type pair struct{ a, b results.LetterProbabilities }
	var pairs []pair
	for _, q := range questions {
		a, known := meanOf(q.a)
		b, both := meanOf(q.b)
		if !known || !both {
			return nil
		}
		pairs = append(pairs, pair{a, b})
	}
	shift := func(of func(results.LetterProbabilities) float64) Shift {
		var a, b, differences []float64
		for _, p := range pairs {
			a, b = append(a, of(p.a)), append(b, of(p.b))
			// Journals have nine decimals: what differs only beyond those is a tie.
			differences = append(differences, math.Round((of(p.b)-of(p.a))*1e9)/1e9)
		}
		var s Shift
		s.ValueA, _ = stats.Spread(a)
		s.ValueB, _ = stats.Spread(b)
		mean, p := stats.PairedT(differences, confidence)
		s.Difference, s.SE, s.CI, s.PValue = mean.Value, mean.SE, mean.Interval, p
		return s
	}
	return &Probabilities{
		Questions:      len(pairs),
		GoldLogprob:    shift(func(p results.LetterProbabilities) float64 { return p.Gold }),
		GoldVocabulary: shift(func(p results.LetterProbabilities) float64 { return p.Vocabulary }),
		Brier:          shift(func(p results.LetterProbabilities) float64 { return p.Brier }),
		LetterMass:     shift(func(p results.LetterProbabilities) float64 { return p.Mass }),
	}
}

// meanOf is the mean over a question's items; false where one of them has no probabilities.
func meanOf(v results.View) (mean results.LetterProbabilities, known bool) {
	n := float64(len(v.Items))
	for _, it := range v.Items {
		p, known := it.Probabilities()
		if !known {
			return mean, false
		}
		mean.Gold += p.Gold / n
		mean.Vocabulary += p.Vocabulary / n
		mean.Brier += p.Brier / n
		mean.Mass += p.Mass / n
	}
	return mean, true
}

// BeatsGuessing says whether the run's interval is above what guessing scores.
func (r *Run) BeatsGuessing() bool {
	return !r.Headline.CI.IsZero() && r.Headline.CI.Low > r.Headline.Baseline.Or(0)
}
