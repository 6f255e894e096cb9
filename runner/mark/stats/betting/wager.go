package betting

// stakes are the shares of what can be lost at most that are staked: for questions on which few answers differ or many do.
var stakes = [...]float64{0.01, 0.02, 0.04, 0.08, 0.12, 0.18, 0.27, 0.4, 0.6, 0.9}

// most bounds a capital that goes on growing.
const most = 1e100

// A wager is against "the mean of sign·d over the whole set is at most null".
type wager struct {
	questions, null, sign float64
	subjects              []int // of the questions
	blocks                []block
	block, from, seen     int     // the block, where it begins, and what is known
	before, sum           float64 // of sign·d before the block, and of what is known
	capitals, gains       [len(stakes)]float64
}

func (w *wager) add(difference float64) {
	x, b := w.sign*difference, &w.blocks[w.block]
	left := (w.questions*w.null - w.before) / (w.questions - float64(w.from)) // the largest mean of the questions left
	if left+1 > 1e-9 {
		unit := b.weights[w.subjects[w.seen]] / b.largest * (x - left) / (left + 1)
		for i, stake := range stakes {
			w.gains[i] *= 1 + stake*unit
		}
	}
	w.seen, w.sum = w.seen+1, w.sum+x
	if w.seen == b.end {
		for i, gain := range w.gains {
			w.capitals[i], w.gains[i] = min(most, w.capitals[i]*gain), 1
		}
		w.block, w.from, w.before = w.block+1, w.seen, w.sum
	}
	// What is left cannot bring the mean down to the hypothesis' any more.
	if w.sum-(w.questions-float64(w.seen)) > w.questions*w.null+1e-9 {
		for i := range w.capitals {
			w.capitals[i] = most
		}
	}
}

func (w *wager) capital() float64 {
	sum := 0.0
	for _, c := range w.capitals {
		sum += c
	}
	return sum / float64(len(stakes))
}
