package betting

import "proctor/runner/mark/stats"

// A Test decides how a model compares with another, question by question.
type Test struct {
	notWorse, worse, better wager
	threshold               float64
}

// Threshold is the e-value that decides. There are two kinds of wrong decision, better than it is and worse than it is, which share
// alpha.
func Threshold(alpha float64) float64 { return 2 / alpha }

// New is a test of questions in the order in which they are asked, given by their subjects, numbered from 0. margin is a share.
func New(order []int, margin, alpha float64) *Test {
	blocks := blocksOf(order)
	against := func(mean, sign float64) wager {
		w := wager{null: sign * mean, sign: sign, blocks: blocks, subjects: order}
		for i := range w.capitals {
			w.capitals[i], w.gains[i] = 1, 1
		}
		return w
	}
	return &Test{against(-margin, +1), against(-margin, -1), against(0, +1), Threshold(alpha)}
}

// Add takes the next question's difference, −1, 0 or 1, and returns the decision so far. A failed question's difference is known to be
// between least and most: for each decision the less favourable one counts, so that no decision rests on failures.
func (t *Test) Add(least, most int) stats.Decision {
	t.notWorse.add(float64(least))
	t.better.add(float64(least))
	t.worse.add(float64(most))
	return t.Decision()
}

// Decision is the decision so far.
func (t *Test) Decision() stats.Decision {
	notWorse, worse, better := t.Evidence()
	switch {
	case better >= t.threshold:
		return stats.Better
	case notWorse >= t.threshold:
		return stats.NotWorse
	case worse >= t.threshold:
		return stats.Worse
	}
	return stats.Undecided
}

// Evidence are the capitals against "worse by the margin or more", "worse by the margin or less" and "not better": e-values.
func (t *Test) Evidence() (notWorse, worse, better float64) {
	return t.notWorse.capital(), t.worse.capital(), t.better.capital()
}
