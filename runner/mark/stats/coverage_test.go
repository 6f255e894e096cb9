package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// covers is the share of draws whose interval holds the truth.
func covers(draws int, truth float64, draw func() Interval) float64 {
	held := 0
	for range draws {
		if draw().Contains(truth) {
			held++
		}
	}
	return float64(held) / float64(draws)
}

func TestMedianIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 19))
	for _, n := range []int{9, 40} {
		share := covers(3000, 0.6931471805599453, func() Interval { // ln 2, the median of the exponential distribution
			values := make([]float64, n)
			for i := range values {
				values[i] = random.ExpFloat64()
			}
			return Median(values, 0.95).Interval
		})
		if share < 0.942 || share > 0.99 {
			t.Errorf("n = %d: covers %.4f, want 0.95 or somewhat more", n, share)
		}
	}
}

// Subjects far from each other: a mean of few questions of each, whose variance is partly that of all, covers up to 99 % of the time.
func TestMacroIntervalsCoverWhereSubjectsDiffer(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 21))
	for i, middle := range []float64{-2, 0, 2, -2, 0, 2, -2, 0, 2} {
		apart := []float64{2, 0.5, 3}[i/3]
		for _, each := range []int{2, 3, 7, 12, 25} {
			chances, mean := make([]float64, 14), 0.0
			for h := range chances {
				chances[h] = 1 / (1 + math.Exp(-middle-apart*math.Sin(2.1*float64(h))))
				mean += chances[h] / 14
			}
			share := covers(3000, mean, func() Interval {
				subjects := make([][]float64, 14)
				for h, p := range chances {
					subjects[h] = subject(each, drawPairs(random, each, p, 0, 0).Both)
				}
				return Macro(subjects, 0.95).Interval
			})
			if share < 0.925 { // 0.93 less a standard error of the simulation
				t.Errorf("%d a subject, around %g ± %g: covers %.4f", each, middle, apart, share)
			}
		}
	}
}
