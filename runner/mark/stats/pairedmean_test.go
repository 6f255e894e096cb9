package stats

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// gapOfBalanced is the balanced accuracy of the last four totals minus the one of the first four.
func gapOfBalanced(x []float64) (float64, []float64) {
	a, down := OfBalancedAccuracy(x[:4])
	b, up := OfBalancedAccuracy(x[4:])
	gradient := make([]float64, 8)
	for i := range down {
		gradient[i], gradient[i+4] = -down[i], up[i]
	}
	return b - a, gradient
}

// drawTwice draws a question of ten options for two runs; the second run answers some items anew.
func drawTwice(random *rand.Rand, changed float64) []float64 {
	const tpr, tnr = 0.7, 0.9
	totals := make([]float64, 8)
	for option := range 10 {
		rate, right, wrong := tnr, 2, 1
		if option == 0 {
			rate, right, wrong = tpr, 0, 3
		}
		at := right
		if random.Float64() >= rate {
			at = wrong
		}
		totals[at]++
		if random.Float64() < changed {
			if at = right; random.Float64() >= rate {
				at = wrong
			}
		}
		totals[4+at]++
	}
	return totals
}

func TestPairedTotalsByHand(t *testing.T) {
	right, wrong := []float64{1, 0, 3, 0}, []float64{0, 0, 3, 1}
	times := func(n int, a, b []float64) [][]float64 { return slices.Repeat([][]float64{slices.Concat(a, b)}, n) }
	questions := slices.Concat(times(3, right, wrong), times(1, wrong, right), times(36, right, right))
	e := PairedTotals(questions, gapOfBalanced, 0.95)
	near(t, "difference", value(t, "difference", e.Value), -1.0/40, 1e-12) // half of −2/40
	se := math.Sqrt((4.0/4 - 40*1.0/1600) / 39 / 40)
	near(t, "error", value(t, "SE", e.SE), se, 1e-12)
	near(t, "p", value(t, "p", e.P(0)), math.Erfc((1.0-0.2)/40/math.Sqrt(se*se+(1.0/40+1.0/2)/40/40)/math.Sqrt2), 1e-9)
	low := e.Interval.Low // where the loss itself takes more than what was seen
	near(t, "low", (-1.2/40-low)/math.Sqrt((-low-low*low)/40), z975, 1e-6)

	same := PairedTotals(questions[4:], gapOfBalanced, 0.95)
	none := Pairs{Both: 36}.Score().Difference(0.95).Interval
	near(t, "no change: as of whole questions", same.Interval.High, none.High, 1e-9)
	assert.Check(t, !same.SE.Defined() && value(t, "p", same.P(0)) == 1, "no change: %+v", same)
	for n := 1; n <= 3; n++ {
		few := PairedTotals(questions[:n], gapOfBalanced, 0.95)
		assert.Check(t, few.Interval.IsZero() && !few.P(0).Defined(), "%d questions: %+v", n, few)
	}
}

// TestSubjectsOfABinaryComparisonAreSeldomToldApart counts the comparisons of two equal runs in which any of 14 subjects is,
// after Holm's correction.
func TestSubjectsOfABinaryComparisonAreSeldomToldApart(t *testing.T) {
	draws, slack, sizes := 150, 4.0, []int{1, 5}
	if os.Getenv("LONG") != "" {
		draws, slack, sizes = 10_000, 2, []int{1, 2, 5, 12}
	}
	random := rand.New(rand.NewPCG(36, 74))
	for _, each := range sizes {
		for _, changed := range []float64{0.1, 1} {
			told := 0
			for range draws {
				ps := make([]Number, 14)
				for h := range ps {
					s := make(Sample, each)
					for i := range s {
						s[i] = drawTwice(random, changed)
					}
					ps[h] = PairedTotals(s, gapOfBalanced, 0.95).P(0)
				}
				for _, p := range Holm(ps) {
					if p.Defined() && p.value < 0.05 {
						told++
						break
					}
				}
			}
			if x := float64(told) / float64(draws); x > 0.055+slack*math.Sqrt(0.05/float64(draws)) {
				t.Errorf("%d of each subject, %g changed: a subject is told apart %.4f of the time", each, changed, x)
			}
		}
	}
}

// TestSubjectsOfAComparisonAreSeldomToldApart works out how often any of 14 subjects is told apart, after Holm's correction,
// where the runs are equally good: by how many questions come out differently, and then over all numbers of those that can be.
func TestSubjectsOfAComparisonAreSeldomToldApart(t *testing.T) {
	told := make([]float64, 401) // one subject, given its flips
	for flips := range told {
		for onlyA := 0; onlyA <= flips; onlyA++ {
			ps := slices.Repeat([]Number{Of(1)}, 14)
			ps[0] = Pairs{OnlyA: onlyA, OnlyB: flips - onlyA, Both: 1}.Score().P(0)
			if Holm(ps)[0].Or(1) < 0.05 {
				told[flips] += BinomialChance(onlyA, flips, 0.5)
			}
		}
	}
	worst := 0.0
	for _, n := range []int{5, 12, 20, 50, 100, 400} {
		for _, share := range []float64{0.01, 0.02, 0.04, 0.08, 0.12, 0.2, 0.3, 0.5, 0.8} {
			single := 0.0
			for flips := range n + 1 {
				single += BinomialChance(flips, n, share) * told[flips]
			}
			anyOf := 1 - math.Pow(1-single, 14)
			if worst = max(worst, anyOf); anyOf > 0.055 {
				t.Errorf("%d questions, %g flips: a subject is told apart %.4f of the time", n, share, anyOf)
			}
		}
	}
	t.Logf("a subject is told apart %.4f of the time at most", worst)
}
