package results

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"proctor/runner/mark/stats"
)

// LetterProbabilities are a direct item's probabilities of its letters.
type LetterProbabilities struct {
	Mass       float64 // of all letters together, over the whole vocabulary
	Gold       float64 // natural logarithm of the gold letter's probability among the letters, which add up to 1
	Vocabulary float64 // the same over the whole vocabulary
	Confidence float64 // the likeliest letter's probability among the letters
	// Brier is Σ (p_letter − 1{letter is gold})² over the letters, p among the letters: from 0 to 2. Source: Brier 1950, Monthly
	// Weather Review 78:1.
	Brier float64
}

// Probabilities are those of an item's letters; known is false where the journal has none.
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

// A Letter is one letter's counts over the scored items.
type Letter struct {
	Letter      string       `json:"letter"`
	Gold        int          `json:"gold"`
	GoldShare   stats.Number `json:"-"`
	Picked      int          `json:"picked"`
	PickedShare stats.Number `json:"-"`               // of the answered items
	Recall      stats.Number `json:"recall,omitzero"` // of the items with this gold letter, answered right
}

// Letters are the counts of the letters that are gold or picked, in their order: some rule sets find letters beyond the
// options.
func (v View) Letters() []Letter {
	picked, gold, right, answered := map[string]int{}, map[string]int{}, map[string]int{}, 0
	for a := range v.Scored() {
		gold[a.Gold]++
		picked[a.Gold] += 0 // named, though it may never be picked
		if a.Answered() {
			picked[a.Letter]++
			answered++
		}
		if a.Correct {
			right[a.Gold]++
		}
	}
	var counts []Letter
	for _, letter := range slices.Sorted(maps.Keys(picked)) {
		counts = append(counts, Letter{
			Letter: letter, Gold: gold[letter], GoldShare: stats.Ratio(gold[letter], v.Tally().Scored()),
			Picked: picked[letter], PickedShare: stats.Ratio(picked[letter], answered), Recall: stats.Ratio(right[letter], gold[letter]),
		})
	}
	return counts
}

// A letter takes over where its share of the answered items is above mostPicked, and exceeds its share of gold letters by mostAbove:
// nine in ten of Binary's items are False, so picking False that often is no fault.
const (
	mostPicked = 0.5
	mostAbove  = 0.25
)

// TakesOver is the letter that the model seems to pick whatever the question; false where there is none.
func TakesOver(counts []Letter) (Letter, bool) {
	for _, l := range counts {
		if share := l.PickedShare.Or(0); share > mostPicked && share-l.GoldShare.Or(0) > mostAbove {
			return l, true
		}
	}
	return Letter{}, false
}
