package adaptive

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// A Size is how many questions a decision takes, in made-up runs of two models that are equally good.
type Size struct {
	Mean           float64
	Median, Ninety int     // half of the runs, and 90 % of them, are decided by then
	Flips          float64 // share of the set's questions
}

// SizeOf makes up so many runs that ask as growing blocks do: first questions, then a part of those asked until then. flips is the share
// of answers that do; 0 for as many as is believed before any is known.
func SizeOf(strata []Stratum, margin, alpha, flips float64, first, part, runs int) Size {
	source, sizes := rand.New(rand.NewPCG(1, 1)), make([]int, runs)
	s := Size{}
	shares := evenly(strata, expect(strata, make([]learnt, len(strata)), believed), flips)
	all := 0.0
	for h := range strata {
		all += float64(strata[h].Questions)
		s.Flips += float64(strata[h].Questions) * shares[h]
	}
	s.Flips /= all
	for i := range sizes {
		sizes[i] = madeUp(strata, shares, margin, alpha, first, part, source)
		s.Mean += float64(sizes[i]) / float64(runs)
	}
	slices.Sort(sizes)
	s.Median, s.Ninety = sizes[runs/2], sizes[runs*9/10]
	return s
}

// largest is the largest share of a stratum that is made to flip.
const largest = 0.9

// evenly has as many answers flip to the better as to the worse, and a share of flips of all; 0 for as many as before. These are fewer
// where one side has fewer questions than that.
func evenly(strata []Stratum, shares []float64, flips float64) []float64 {
	sides, room, all := map[bool]float64{}, map[bool]float64{}, 0.0
	for h, s := range strata {
		sides[s.Right] += float64(s.Questions) * shares[h]
		room[s.Right] += float64(s.Questions) * largest
		all += float64(s.Questions)
	}
	each := min(cmp.Or(flips*all, sides[true]+sides[false])/2, room[true], room[false])
	even := slices.Clone(shares)
	for range 20 { // strata that are full leave the others more
		for h, s := range strata {
			even[h] = min(largest, even[h]*each/max(1e-9, sides[s.Right]))
		}
		clear(sides)
		for h, s := range strata {
			sides[s.Right] += float64(s.Questions) * even[h]
		}
	}
	return even
}

// madeUp is after how many questions such a run is decided.
func madeUp(strata []Stratum, shares []float64, margin, alpha float64, first, part int, source *rand.Rand) (asked int) {
	test, all := New(strata, margin, alpha), 0
	flips, left := make([]int, len(strata)), make([]int, len(strata))
	for h, s := range strata {
		left[h], all = s.Questions, all+s.Questions
		flips[h] = int(math.Floor(float64(s.Questions)*shares[h] + source.Float64()))
	}
	for asked < all {
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
					if test.Add(h, d, d) != "" {
						return asked
					}
				}
			}
		}
	}
	return asked
}
