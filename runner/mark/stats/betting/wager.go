package betting

// stakes are bets, as shares of the largest possible loss: small ones for questions on which many answers differ, large ones for few.
var stakes = [...]float64{0.01, 0.02, 0.04, 0.08, 0.12, 0.18, 0.27, 0.4, 0.6, 0.9}

// most bounds a growing capital.
const most = 1e100

// A wager is against "the mean of sign·d is at most null".
type wager struct {
	null, sign      float64
	subjects        []int // of the questions
	blocks          []block
	block, seen     int // the block, and how many questions are known
	capitals, gains [len(stakes)]float64
}

func (w *wager) add(difference float64) {
	b := &w.blocks[w.block]
	unit := b.weights[w.subjects[w.seen]] / b.largest * (w.sign*difference - w.null) / (w.null + 1)
	for i, stake := range stakes {
		w.gains[i] *= 1 + stake*unit
	}
	if w.seen++; w.seen < b.end {
		return
	}
	for i, gain := range w.gains {
		w.capitals[i], w.gains[i] = min(most, w.capitals[i]*gain), 1
	}
	w.block++
}

func (w *wager) capital() float64 {
	sum := 0.0
	for _, c := range w.capitals {
		sum += c
	}
	return sum / float64(len(stakes))
}
