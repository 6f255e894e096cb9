package adaptive

import "math"

// What follows is how draws were begun before headers had their first block: such a journal goes on as it began.

// fewestBefore was the smallest stratum.
const fewestBefore = 25

// believedBefore is what was believed of flips then, before any was known.
var believedBefore = belief{[...]float64{-3, 0.8, 0}, [...]float64{1.5, 0.6, 1}}

// uniformBefore are the shares of a block that could be dealt out by size alone; the others were Neyman's.
var uniformBefore = [...]float64{1, 0.7, 0.5, 0.35, 0.25, 0.15, 0.08}

// CutBefore is [Cut] as it was.
func CutBefore(predictions []Prediction) (strata []Stratum, of []int) {
	return cut(predictions, fewestBefore)
}

// FirstBefore is the first block as it was.
func FirstBefore(strata []Stratum, margin, alpha float64, questions int) []int {
	t := New(strata, margin, alpha)
	t.flips = expect(strata, t.learnt, believedBefore)
	parts, spread := t.parts(), 0.0
	deviation := func(h int) float64 { return math.Sqrt(t.flips[h] * (1 - t.flips[h])) }
	for h, part := range parts {
		spread += part * deviation(h)
	}
	var best []int
	most := math.Inf(-1)
	for _, u := range uniformBefore {
		shares := make([]float64, len(parts))
		for h, part := range parts {
			shares[h] = u*part + (1-u)*part*deviation(h)/spread
		}
		counts := t.deal(questions, shares)
		if growth, _ := t.growth(counts); best == nil || growth > most*1.000001 {
			best, most = counts, growth
		}
	}
	return best
}
