package adaptive

import (
	"proctor/runner/mark/stats"
)

// A play is a block that was played, for the hypotheses that [Test.Interval] asks about afterwards.
type play struct {
	block   block
	answers []answer
	ratios  [3]float64 // what bets on likelihoods had by its end, see [Test.likelihoods]
}

// An answer is what is known of a question of a stratum.
type answer struct{ h, least, most int }

// Interval is a confidence sequence's: with a chance of confidence at least, every one of them that is ever taken holds the mean
// difference over the set. It has the means whose capitals have never reached 2/(1 − confidence) on either side. It is the test
// inverted: capitals fall as the hypothesis' mean grows, so that the limits are found by halving. What bets on likelihoods have won
// against one of the test's hypotheses counts against each that implies it.
func (t *Test) Interval(confidence float64) stats.Interval {
	bar := 2 / (1 - confidence)
	limit := func(sign float64) float64 {
		low, high := -1.0, 1.0 // of sign·mean: shown to be above low
		for range 30 {
			if middle := (low + high) / 2; t.reaches(middle, sign, bar) {
				low = middle
			} else {
				high = middle
			}
		}
		return sign * low
	}
	return stats.Interval{Low: limit(+1), High: limit(-1), Confidence: confidence, Method: "betting sequence, strata"}
}

// reaches says whether the capital against "the mean of sign·d is at most null" was ever as high as the bar.
func (t *Test) reaches(null, sign, bar float64) bool {
	w, likelihood := against(t.strata, sign*null, sign), 0.0
	for i := range t.history {
		played := &t.history[i]
		w.begin(&played.block)
		for _, a := range played.answers {
			if sign > 0 {
				w.add(a.h, float64(a.least))
			} else {
				w.add(a.h, float64(a.most))
			}
		}
		if len(played.answers) == played.total() {
			w.end()
			likelihood = t.against(played.ratios, null, sign)
		}
		if both(&w, likelihood) >= bar {
			return true
		}
	}
	return false
}

// total is how many questions the block has.
func (p *play) total() (n int) {
	for _, c := range p.block.counts {
		n += c
	}
	return n
}

// against is the capital among those of likelihoods that counts against "the mean of sign·d is at most null".
func (t *Test) against(ratios [3]float64, null, sign float64) float64 {
	switch {
	case sign < 0 && null <= 0:
		return ratios[1]
	case sign > 0 && null <= -t.margin:
		return ratios[0]
	case sign > 0 && null <= 0:
		return ratios[2]
	}
	return 0
}
