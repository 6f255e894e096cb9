package adaptive

import (
	"cmp"
	"math"
	"slices"
)

// atLeast is how many questions of each stratum a block has where they are there: each is learnt about, and waits for no other.
const atLeast = 2

// deal deals so many questions out to strata in shares, to none more than it has left and to none less than a few.
func (t *Test) deal(questions int, shares []float64) []int {
	counts, open := make([]int, len(shares)), 0
	for h, n := range t.left {
		counts[h] = min(n, atLeast)
		questions -= counts[h]
		open += n - counts[h]
	}
	questions = min(questions, open)
	for questions > 0 {
		sum := 0.0
		for h, n := range t.left {
			if n > counts[h] {
				sum += shares[h]
			}
		}
		given := 0
		type rest struct {
			h    int
			part float64
		}
		var rests []rest
		for h, n := range t.left {
			if n <= counts[h] {
				continue
			}
			part := float64(questions) * shares[h] / sum
			more := min(n-counts[h], int(part))
			counts[h] += more
			given += more
			rests = append(rests, rest{h, part - math.Floor(part)})
		}
		if questions -= given; given > 0 && questions > len(rests) {
			continue
		}
		slices.SortStableFunc(rests, func(a, b rest) int { return cmp.Compare(b.part, a.part) })
		for _, r := range rests {
			if questions > 0 && counts[r.h] < t.left[r.h] {
				counts[r.h]++
				questions--
			}
		}
	}
	return counts
}

// growth is by how much the capitals of a block like that are expected to grow a question, with the better and the worse model taken
// for as good, and the stakes that are best for that, by [side].
func (t *Test) growth(counts []int) (total float64, best [2]float64) {
	asked, all := 0.0, 0.0
	for h, n := range counts {
		asked, all = asked+float64(n), all+float64(t.left[h])
	}
	for i, sign := range []float64{1, -1} {
		scale := 1e-6
		for h, n := range counts {
			if n > 0 {
				mean := sign * t.flips[h] * t.strata[h].flip()
				scale = max(scale, asked*float64(t.left[h])/float64(n)/all*(mean-t.strata[h].least(sign))-t.margin)
			}
		}
		most := math.Inf(-1)
		for _, stake := range stakes {
			sum := 0.0
			for h, n := range counts {
				if n == 0 {
					continue
				}
				weight, flip := asked*float64(t.left[h])/float64(n)/all, sign*t.strata[h].flip()
				p := t.flips[h]
				sum += float64(n) / asked * (p*math.Log1p(stake*(weight*flip*(1-p)+t.margin)/scale) +
					(1-p)*math.Log1p(stake*(t.margin-weight*flip*p)/scale))
			}
			if sum > most {
				most, best[i] = sum, stake
			}
		}
		total += most
	}
	return total, best
}

// Fitting are the counts of a block where a shard has so many questions of each stratum left. Once it has none of a stratum that the
// set has more of, nothing can be bet on any more: all that it has is one last block.
func Fitting(counts, left []int) []int {
	fit := make([]int, len(counts))
	for h, n := range counts {
		if fit[h] = min(n, left[h]); n > 0 && fit[h] == 0 {
			return slices.Clone(left)
		}
	}
	return fit
}
