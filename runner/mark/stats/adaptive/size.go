package adaptive

import (
	"math"
	"math/rand/v2"
	"slices"

	"proctor/runner/mark/stats/betting"
)

// A Size is how many questions a decision takes, in made-up runs of two models that are equally good, of which as many answers flip as
// is believed before any is known.
type Size struct {
	Median, Ninety int     // half of the runs, and 90 % of them, end by then
	Flips          float64 // share of the set's questions
}

// SizeOf makes up so many runs that ask as growing blocks do: first questions, then a part of those asked until then.
func SizeOf(strata []Stratum, margin, alpha float64, first, part, runs int) Size {
	source, sizes := rand.New(rand.NewPCG(1, 1)), make([]int, runs)
	s := Size{}
	shares := evenly(strata, expect(strata, make([]learnt, len(strata)), believed))
	all := 0.0
	for h := range strata {
		all += float64(strata[h].Questions)
		s.Flips += float64(strata[h].Questions) * shares[h]
	}
	s.Flips /= all
	for i := range sizes {
		sizes[i] = madeUp(strata, shares, margin, alpha, first, part, source)
	}
	slices.Sort(sizes)
	s.Median, s.Ninety = sizes[runs/2], sizes[runs*9/10]
	return s
}

// evenly has as many answers flip to the better as to the worse, and as many altogether: nearly, where one side is small.
func evenly(strata []Stratum, shares []float64) []float64 {
	sides := map[bool]float64{}
	for h, s := range strata {
		sides[s.Right] += float64(s.Questions) * shares[h]
	}
	even := slices.Clone(shares)
	for h, s := range strata {
		if sides[true] > 0 && sides[false] > 0 {
			even[h] = min(0.9, shares[h]*min(sides[true], sides[false])/sides[s.Right])
		}
	}
	return even
}

// madeUp is how many questions such a run asks.
func madeUp(strata []Stratum, shares []float64, margin, alpha float64, first, part int, source *rand.Rand) (asked int) {
	test, all, decided := New(strata, margin, alpha), 0, betting.Verdict("")
	flips, left := make([]int, len(strata)), make([]int, len(strata))
	for h, s := range strata {
		left[h], all = s.Questions, all+s.Questions
		flips[h] = int(math.Floor(float64(s.Questions)*shares[h] + source.Float64()))
	}
	for asked < all && decided == "" {
		for _, piece := range Pieces(test.Next(max(first/part, asked/part, min(first, first-asked)))) {
			test.Begin(piece)
			for h, n := range piece {
				for range n {
					d := 0
					if source.IntN(left[h]) < flips[h] {
						d, flips[h] = int(strata[h].flip()), flips[h]-1
					}
					left[h]--
					asked++
					if v := test.Add(h, d, d); decided == "" {
						decided = v
					}
				}
			}
		}
	}
	return asked
}
