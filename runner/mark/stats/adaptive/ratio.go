package adaptive

import "math"

// A ratio is the capital of bets on the likelihood ratio: what is expected of the strata against what the hypothesis allows and is
// hardest to tell from that. It is one on "the mean of sign·d over the whole set is at most null", as a [wager] is.
type ratio struct {
	strata          []Stratum
	sign            float64
	slope, centre   []float64 // of each stratum: a question multiplies capital by 1 + slope·(x − centre)
	capitals, gains [len(tempers)]float64
}

// tempers are the parts of the ratio that are staked: what is expected may be wrong.
var tempers = [...]float64{1, 0.6, 0.3}

func ratioOf(strata []Stratum, sign float64) ratio {
	r := ratio{strata: strata, sign: sign, slope: make([]float64, len(strata)), centre: make([]float64, len(strata))}
	for i := range r.capitals {
		r.capitals[i], r.gains[i] = 1, 1
	}
	return r
}

// begin stakes on a block against a mean of at most null of the questions that are left. Where what is expected lies less than the
// margin above that, it is moved there, since else nothing could be won.
func (r *ratio) begin(b *block, null, margin float64) {
	shares := b.flips
	if r.mean(b, shares) < null+margin {
		shares = make([]float64, len(b.flips))
		rising(64, func(k float64) bool {
			for h, share := range b.flips {
				shares[h] = tilted(share, k*r.sign*r.strata[h].flip())
			}
			return r.mean(b, shares) >= null+margin
		})
	}
	least := make([]float64, len(shares))
	against := func(strength float64) bool {
		for h, share := range shares {
			r.slope[h], least[h] = 0, share
			if b.counts[h] > 0 {
				r.slope[h] = strength * b.parts[h] / float64(b.counts[h])
				least[h] = tilted(share, -r.slope[h]*r.sign*r.strata[h].flip())
			}
			r.centre[h] = r.sign * r.strata[h].flip() * least[h]
		}
		return r.mean(b, least) <= null
	}
	// Just below the strength of the least favourable shares, so that no rounding gives the bet an edge.
	strength, found := rising(1e6, against)
	if against(strength); !found {
		clear(r.slope) // the hypothesis allows nothing that is left
	}
}

// mean is that of sign·d over the questions that are left, where so many of each stratum flip.
func (r *ratio) mean(b *block, shares []float64) (sum float64) {
	for h, part := range b.parts {
		sum += part * r.sign * r.strata[h].flip() * shares[h]
	}
	return sum
}

// rising finds, nearly, the least number from 0 to most from which on a condition holds: it is just below that, and the condition was
// last asked of one that is just above.
func rising(most float64, holds func(float64) bool) (below float64, found bool) {
	if holds(0) {
		return 0, true
	}
	high := 1e-3
	for !holds(high) {
		if high *= 8; high > most {
			return 0, false
		}
	}
	for range 24 {
		if middle := (below + high) / 2; holds(middle) {
			high = middle
		} else {
			below = middle
		}
	}
	holds(high)
	return below, true
}

// tilted is the share η for which (η − share)/(η·(1 − η)) is k: a flip is share/η times as likely, another answer
// (1 − share)/(1 − η) times.
func tilted(share, k float64) float64 {
	if k == 0 {
		return share
	}
	root := math.Sqrt((1-k)*(1-k) + 4*k*share)
	if k < 1 { // the same, without a difference of numbers that are alike
		return min(1-1e-9, 2*share/(1-k+root))
	}
	return min(1-1e-9, (k-1+root)/2/k)
}

func (r *ratio) add(h int, difference float64) {
	edge := r.slope[h] * (r.sign*difference - r.centre[h])
	for i, temper := range tempers {
		r.gains[i] *= max(0, 1+temper*edge)
	}
}

// end ends a block, whose gains the capitals take.
func (r *ratio) end() {
	for i, gain := range r.gains {
		r.capitals[i], r.gains[i] = min(most, r.capitals[i]*gain), 1
	}
}

func (r *ratio) capital() float64 {
	sum := 0.0
	for _, c := range r.capitals {
		sum += c
	}
	return sum / float64(len(tempers))
}
