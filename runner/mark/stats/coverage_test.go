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

func TestMeanIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(18, 18))
	share := covers(4000, 0.5, func() Interval {
		scores := make([]float64, 60)
		for i := range scores { // shares of four rotations: often none, often all
			scores[i] = float64([]int{0, 0, 1, 2, 3, 4, 4}[random.IntN(7)]) / 4
		}
		return Mean(scores, 0.95).Interval
	})
	near(t, "coverage", share, 0.95, 0.012)
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

// Subjects far from each other, whose questions are drawn without replacement: a variance that takes the subjects' differences
// for chance covers 98 to 99 % of the time.
func TestWholeSetIntervalsCoverWhereSubjectsDiffer(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 21))
	for i, middle := range []float64{-2, 0, 2, -2, 0, 2, -2, 0, 2} {
		apart := []float64{2, 0.5, 3}[i/3]
		for _, each := range []int{2, 3, 7, 12, 25} {
			sizes, right := make([]int, 14), make([]int, 14)
			whole, all, macro := 0.0, 0.0, 0.0
			for h := range sizes {
				sizes[h] = 380 + 970*(h*h%13)/12
				chance := 1 / (1 + math.Exp(-middle-apart*math.Sin(2.1*float64(h))))
				right[h] = int(chance * float64(sizes[h]))
				whole, all = whole+float64(right[h]), all+float64(sizes[h])
				macro += float64(right[h]) / float64(sizes[h]) / 14
			}
			drawn := func() []Stratum {
				strata := make([]Stratum, len(sizes))
				for h, size := range sizes {
					left, correct := right[h], 0
					for i := range each {
						if random.IntN(size-i) < left {
							left, correct = left-1, correct+1
						}
					}
					strata[h] = stratum(size, each, correct)
				}
				return strata
			}
			for name, share := range map[string]float64{
				"whole set": covers(3000, whole/all, func() Interval { return Stratified(drawn(), ThisSet, 0.95).Interval }),
				"macro":     covers(3000, macro, func() Interval { return Macro(drawn(), 0.95).Interval }),
			} {
				most := 0.975
				if each == 2 { // of 28 questions no interval of shares near the end is exact
					most = 0.985
				}
				if share < 0.925 || share > most { // between 0.93 and 0.972, and two standard errors of the simulation
					t.Errorf("%s, %d a subject, around %g ± %g: covers %.4f", name, each, middle, apart, share)
				}
			}
		}
	}
}
