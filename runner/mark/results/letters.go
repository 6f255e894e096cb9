package results

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// LetterProbabilities are what a direct item's model said of its letters.
type LetterProbabilities struct {
	Mass       float64 // of all of them together, over the whole vocabulary
	Gold       float64 // natural logarithm of the gold letter's probability among the letters, which add up to 1
	Vocabulary float64 // the same over the whole vocabulary
	Confidence float64 // the likeliest letter's probability among the letters
	// Brier is Σ (p_letter − 1{letter is gold})² over the letters, p among the letters: from 0 to 2. Source: Brier 1950, Monthly
	// Weather Review 78:1.
	Brier float64
}

// Probabilities are those of an item's letters; false where the journal has none.
func (it *Item) Probabilities() (p LetterProbabilities, known bool) {
	if len(it.LetterLogprobs) == 0 {
		return p, false
	}
	gold, logMass := int(it.Gold[0]-'A'), floats.LogSumExp(it.LetterLogprobs)
	for i, l := range it.LetterLogprobs {
		among := math.Exp(l - logMass)
		if i == gold {
			among--
		}
		p.Brier += among * among
	}
	p.Mass, p.Confidence = math.Exp(logMass), math.Exp(floats.Max(it.LetterLogprobs)-logMass)
	p.Vocabulary = it.LetterLogprobs[gold]
	p.Gold = p.Vocabulary - logMass
	return p, true
}
