package adaptive

import (
	"cmp"
	"math"
	"slices"
)

// A Stratum is some of a set's questions, of which one expects about as many to flip.
type Stratum struct {
	Questions int     // in the set
	Right     bool    // the reference has them right, so that a difference is −1 or 0; else it is 0 or 1
	Doubt     float64 // the normal quantile of its place among that side's questions by doubt
}

// least is the least that sign·difference can be.
func (s *Stratum) least(sign float64) float64 {
	if s.Right == (sign > 0) {
		return -1
	}
	return 0
}

// flip is the difference of a question that flips.
func (s *Stratum) flip() float64 {
	if s.Right {
		return -1
	}
	return 1
}

// A Prediction is what is known of a question before it is asked.
type Prediction struct {
	Right bool    // the reference has it right, so that a flip is a loss
	Doubt float64 // the higher, the likelier a flip; only the order counts
}

// fewest is the smallest stratum that [Cut] makes of a side that is large enough: of fewer questions little can be learnt, and each block
// needs some of every stratum. In a large set it is a fiftieth of all.
const fewest = 25

// tails are the shares of a side's questions, by doubt from the highest, that the strata end at. Doubt that tells anything has most
// flips in its tail, so the strata there are the smaller ones.
var tails = [...]float64{0.03, 0.08, 0.16, 0.30, 0.55, 1}

// Cut puts each question into a stratum: those that the reference has right and those that it has wrong apart, each by doubt. of has
// the strata's numbers beside the predictions. Questions of the same doubt stay together.
func Cut(predictions []Prediction) (strata []Stratum, of []int) {
	return cut(predictions, max(fewest, len(predictions)/50))
}

func cut(predictions []Prediction, fewest int) (strata []Stratum, of []int) {
	of = make([]int, len(predictions))
	for _, right := range []bool{true, false} {
		var side []int
		for i, p := range predictions {
			if p.Right == right {
				side = append(side, i)
			}
		}
		slices.SortStableFunc(side, func(a, b int) int { return cmp.Compare(predictions[b].Doubt, predictions[a].Doubt) })
		from, all := 0, float64(len(side))
		for _, tail := range tails {
			end := int(tail * all)
			for 0 < end && end < len(side) && predictions[side[end]].Doubt == predictions[side[end-1]].Doubt {
				end++
			}
			if len(side)-end < fewest {
				end = len(side)
			}
			if end <= from || end-from < fewest && end < len(side) {
				continue
			}
			middle := float64(from+end) / 2 / all // of the stratum, in (0, 1)
			for _, i := range side[from:end] {
				of[i] = len(strata)
			}
			strata = append(strata, Stratum{Questions: end - from, Right: right, Doubt: math.Sqrt2 * math.Erfinv(1-2*middle)})
			from = end
		}
	}
	return strata, of
}
