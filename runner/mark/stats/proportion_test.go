package stats

import (
	"math"
	"math/big"
	"os"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// z975 is the 0.975 quantile of the standard normal distribution, from tables.
const z975 = 1.959963984540054

func TestPublishedIntervalsOfOneProportion(t *testing.T) {
	// Newcombe 1998, Statist. Med. 17:857, table I, to the four digits printed; 5/10 from Brown, Cai and DasGupta's formulas.
	tests := []struct {
		k, n          int
		wilson, exact [2]float64 // Clopper and Pearson's
	}{
		{81, 263, [2]float64{0.2553, 0.3662}, [2]float64{0.2527, 0.3676}},
		{15, 148, [2]float64{0.0624, 0.1605}, [2]float64{0.0578, 0.1617}},
		{0, 20, [2]float64{0, 0.1611}, [2]float64{0, 0.1684}},
		{1, 29, [2]float64{0.0061, 0.1718}, [2]float64{0.0009, 0.1776}},
		{5, 10, [2]float64{0.2366, 0.7634}, [2]float64{0.1871, 0.8129}},
	}
	for _, test := range tests {
		low, high := wilsonBounds(float64(test.k)/float64(test.n), float64(test.n), z975)
		near(t, "wilson low", low, test.wilson[0], 5e-5)
		near(t, "wilson high", high, test.wilson[1], 5e-5)
		k, n := float64(test.k), float64(test.n)
		near(t, "exact low", exactLow(k, n, 0.025), test.exact[0], 5e-5)
		near(t, "exact high", 1-exactLow(n-k, n, 0.025), test.exact[1], 5e-5)
	}
}

func TestWilsonBoundsAreWhereTheScoreTestJustRejects(t *testing.T) {
	for _, n := range []int{1, 2, 7, 20, 70, 700, 12032} {
		for _, k := range []int{0, 1, n / 10, n / 2, n - 1, n} {
			p := float64(k) / float64(n)
			low, high := wilsonBounds(p, float64(n), z975)
			for _, bound := range []float64{low, high} {
				if bound == p && (p == 0 || p == 1) {
					continue
				}
				score := math.Abs(p-bound) / math.Sqrt(bound*(1-bound)/float64(n))
				near(t, "score at the bound", score, z975, 1e-8)
			}
			assert.Check(t, low >= 0 && high <= 1 && p >= low && p <= high,
				"%d/%d: %g to %g does not hold the proportion inside [0, 1]", k, n, low, high)
		}
	}
}

func TestAnExactBoundLeavesItsTail(t *testing.T) {
	for _, n := range []int{1, 5, 20, 70, 300} {
		for k := 0; k <= n; k += max(1, n/7) {
			if k > 0 {
				near(t, "upper tail at the low bound", exactBinomialTail(k, n, exactLow(float64(k), float64(n), 0.025)), 0.025, 1e-9)
			}
		}
	}
	got := exactLow(0, 8, 0.025)
	assert.Check(t, got == 0, "no success: low bound %g, want 0", got)
}

// exactBinomialTail is P(X ≥ k) summed term by term with 300-bit arithmetic.
func exactBinomialTail(k, n int, p float64) float64 {
	const precision = 300
	q := new(big.Float).SetPrec(precision).Sub(big.NewFloat(1), big.NewFloat(p))
	sum := new(big.Float).SetPrec(precision)
	for j := k; j <= n; j++ {
		term := new(big.Float).SetPrec(precision).SetInt(new(big.Int).Binomial(int64(n), int64(j)))
		for range j {
			term.Mul(term, big.NewFloat(p))
		}
		for range n - j {
			term.Mul(term, q)
		}
		sum.Add(sum, term)
	}
	tail, _ := sum.Float64()
	return tail
}

func TestQuantilesAgreeWithPrintedTables(t *testing.T) {
	near(t, "z 0.95", normalQuantile(0.95), z975, 1e-12)
	near(t, "z 0.99", normalQuantile(0.99), 2.5758293035489, 1e-12)
	for df, want := range map[float64]float64{1: 12.7062047362, 2: 4.30265272991, 10: 2.22813885196, 30: 2.04227245630} {
		near(t, "t 0.975", studentQuantile(0.95, df), want, 1e-8)
		near(t, "tail at t 0.975", studentTail(want, df).Or(9), 0.025, 1e-11)
		near(t, "tail at −t 0.975", studentTail(-want, df).Or(9), 0.975, 1e-11)
	}
	near(t, "tail at z 0.975", normalTail(z975).Or(9), 0.025, 1e-15)
}

// TestAShareIsCoveredWhateverItIs adds up the chances of all results, at the shares where an interval ends, which are the worst.
func TestAShareIsCoveredWhateverItIs(t *testing.T) {
	sizes := []int{1, 2, 3, 5, 7, 10, 14, 20, 28, 70, 140}
	if os.Getenv("LONG") != "" {
		sizes = []int{420, 1400}
		for n := range 300 {
			sizes = append(sizes, n+1)
		}
	}
	for _, n := range sizes {
		bounds := make([]Interval, n+1)
		for k := range bounds {
			bounds[k] = Proportion(k, n, 0.95).Interval
		}
		covered := func(p float64) float64 {
			sum := 0.0
			for k, i := range bounds {
				if i.Contains(p) || i.IsZero() { // which says so
					sum += BinomialChance(k, n, p)
				}
			}
			return sum
		}
		for _, i := range bounds {
			for _, p := range []float64{i.Low - 1e-9, i.High + 1e-9} {
				if p > 0 && p < 1 && covered(p) < 0.93 {
					t.Errorf("%d questions, %.6f right: covers %.4f", n, p, covered(p))
				}
			}
		}
		middle := 0.0 // over shares of 20 to 80 %
		for percent := 20; percent <= 80; percent++ {
			middle += covered(float64(percent)/100) / 61
		}
		if n >= 40 && middle > 0.97 {
			t.Errorf("%d questions: covers %.4f on average", n, middle)
		}
	}
}

func TestAnIntervalIsWilsonsWhereRightAndWrongAnswersAreMany(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		method string
	}{{45, 400, "wilson"}, {355, 400, "wilson"}, {43, 12_032, "wilson, widened"}, {200, 400, "wilson"}, {5, 10, "wilson, widened"}} {
		i := Proportion(c.k, c.n, 0.95).Interval
		low, high := wilsonBounds(float64(c.k)/float64(c.n), float64(c.n), normalQuantile(0.95))
		assert.Check(t, i.Method == c.method && (i.Low == low && i.High == high) == (c.method == "wilson"),
			"%d of %d: %+v, Wilson's %g to %g", c.k, c.n, i, low, high)
	}
	// 27 of 28: Wilson's is 82.29 to 99.37 %. That 27 or fewer are right has a chance of 3.5 % where 0.965^(1/28) are.
	few := Proportion(27, 28, 0.95).Interval
	near(t, "low", few.Low, 0.8229, 5e-5)
	near(t, "high", few.High, math.Pow(1-0.035, 1.0/28), 1e-9)
}

// TestTooFewQuestionsSayHowManyCarryAnInterval asks as many as are said, which are enough, and one fewer, which are not.
func TestVeryFewQuestionsHaveNoInterval(t *testing.T) {
	question := []float64{1, 0, 3, 0, 0, 0, 3, 1} // right in the first run alone
	for name, of := range map[string]func(n int) Interval{
		"all right":     func(n int) Interval { return Proportion(n, n, 0.95).Interval },
		"all of scores": func(n int) Interval { return Mean(make([]float64, n), 0.95).Interval },
		"all of clusters": func(n int) Interval {
			return ClusteredProportion(slices.Repeat([]Cluster{{0, 4}}, n),
				0.95).Interval
		},
		"a ratio": func(n int) Interval {
			return OfTotals([]Sample{slices.Repeat([][]float64{{2, 2}}, n)}, OfRatio, 0, 1, 0.95).Interval
		},
		"99.99 %": func(n int) Interval { return Proportion(n, n, 0.9999).Interval },
		"balanced accuracy": func(n int) Interval {
			return BalancedAccuracy(slices.Repeat([]Confusion{{TruePositive: 1, TrueNegative: 3}}, n), 0.95).Interval
		},
		"macro": func(n int) Interval { return Macro([][]float64{subject(n, n)}, 0.95).Interval },
		"paired totals": func(n int) Interval {
			return PairedTotals(slices.Repeat([][]float64{question}, n), gapOfBalanced, 0.95).Interval
		},
		"pairs, 99.9999 %": func(n int) Interval { return Pairs{Both: n}.Score().Difference(0.999999).Interval },
	} {
		assert.Check(t, of(1).IsZero() && !of(FewestPairs).IsZero(), "%s: one question has %+v, some %+v", name, of(1), of(FewestPairs))
	}
	nothing := Proportion(0, 0, 0.95)
	assert.Check(t, !nothing.Value.Defined() && nothing.Interval.IsZero() &&
		Proportion(1, 2, 0.95).Interval.IsZero(), "of nothing: %+v", nothing)
}

// lm-eval 0.4.13's mean_stderr returned each want, for k ones and n − k zeros. Its acc_stderr and exact_match_stderr of a task without
// subtasks are this figure.
func TestTheStandardErrorOfAProportionIsLMEvals(t *testing.T) {
	for _, test := range []struct {
		k, n int
		want float64
	}{
		{23, 168, 0.026599924369862513}, {1, 2, 0.5}, {4207, 12032, 0.0043475015195769745}, {11091, 12032, 0.0024478876301275146},
		{5, 5, 0}, {0, 3, 0},
	} {
		mean := Mean(subject(test.n, test.k), 0.95)
		for name, e := range map[string]Estimate{"proportion": Proportion(test.k, test.n, 0.95), "mean": mean} {
			se, defined := e.SE.Get()
			assert.Check(t, defined && math.Abs(se-test.want) <= 1e-12*test.want, "%s of %d of %d: %v, want %v", name, test.k, test.n, e.SE, test.want)
		}
	}
	assert.Check(t, !Proportion(1, 1, 0.95).SE.Defined(), "one trial")
}
