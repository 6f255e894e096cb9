package adaptive

import "math"

// stakes are the shares of what can be lost at most that are staked: for questions on which few answers differ or many do.
var stakes = [...]float64{0.01, 0.02, 0.04, 0.08, 0.12, 0.18, 0.27, 0.4, 0.6, 0.9}

// A purse is capital that plays: one for each of the stakes, and the last one with the stake that is best by what is known before
// each block, which has the share seeming of all.
type purse [len(stakes) + 1]float64

const seeming = 0.8

// most bounds a capital that goes on growing.
const most = 1e100

// A wager is against "the mean of sign·d over the whole set is at most null".
type wager struct {
	null, sign      float64
	total, unknown  float64 // questions of the set; and that are not known yet
	sum, floor      float64 // of sign·d: of what is known, and the least that what is not can add
	left            float64 // the largest mean of the questions left when the block began
	scale           float64 // of what a question of the block can lose at most; 0 where nothing is staked
	block           *block
	strata          []Stratum
	stakes          purse
	capitals, gains purse
}

func against(strata []Stratum, mean, sign float64) wager {
	w := wager{null: sign * mean, sign: sign, strata: strata}
	for h := range strata {
		w.total += float64(strata[h].Questions)
		w.floor += float64(strata[h].Questions) * strata[h].least(sign)
	}
	w.unknown = w.total
	copy(w.stakes[:], stakes[:])
	for i := range w.capitals {
		w.capitals[i], w.gains[i] = 1, 1
	}
	return w
}

// begin stakes on a block.
func (w *wager) begin(b *block) {
	w.block = b
	w.stakes[len(stakes)] = b.best[side(w.sign)]
	w.left = w.rest()
	largest := math.Inf(-1)
	for h, n := range b.counts {
		if n > 0 {
			largest = max(largest, b.weights[h]*(w.sign*b.control[h]-w.strata[h].least(w.sign)))
		}
	}
	w.scale = largest + w.left - w.sign*b.rest
	if w.scale < 1e-9 {
		w.scale = 0
	}
}

// rest is the largest mean that the hypothesis leaves for what is not known.
func (w *wager) rest() float64 { return (w.total*w.null - w.sum) / w.unknown }

func (w *wager) add(h int, difference float64) {
	x := w.sign * difference
	if w.scale > 0 {
		unit := (w.block.weights[h]*(x-w.sign*w.block.control[h]) + w.sign*w.block.rest - w.left) / w.scale
		for i, stake := range w.stakes {
			w.gains[i] *= 1 + stake*unit
		}
	}
	w.sum, w.floor, w.unknown = w.sum+x, w.floor-w.strata[h].least(w.sign), w.unknown-1
	// What is left cannot bring the mean down to the hypothesis' any more.
	if w.sum+w.floor > w.total*w.null+1e-9 {
		for i := range w.capitals {
			w.capitals[i], w.gains[i] = most, 1
		}
	}
}

// end ends a block, whose gains the capitals take.
func (w *wager) end() {
	for i, gain := range w.gains {
		w.capitals[i], w.gains[i] = min(most, w.capitals[i]*gain), 1
	}
}

func (w *wager) capital() float64 {
	sum := 0.0
	for _, c := range w.capitals[:len(stakes)] {
		sum += c
	}
	return (1-seeming)*sum/float64(len(stakes)) + seeming*w.capitals[len(stakes)]
}

// side is 0 of wagers that a model is better, 1 of those that it is worse.
func side(sign float64) int {
	if sign > 0 {
		return 0
	}
	return 1
}
