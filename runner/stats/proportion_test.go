package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// z975 is the 0.975 quantile of the standard normal distribution, from tables.
const z975 = 1.959963984540054

func TestPublishedIntervalsOfOneProportion(t *testing.T) {
	// Newcombe 1998, Statist. Med. 17:857, table I, to the four digits printed; 5/10 from Brown, Cai and DasGupta's formulas.
	tests := []struct {
		k, n         int
		wilson       [2]float64
		clopperExact [2]float64
	}{
		{81, 263, [2]float64{0.2553, 0.3662}, [2]float64{0.2527, 0.3676}},
		{15, 148, [2]float64{0.0624, 0.1605}, [2]float64{0.0578, 0.1617}},
		{0, 20, [2]float64{0, 0.1611}, [2]float64{0, 0.1684}},
		{1, 29, [2]float64{0.0061, 0.1718}, [2]float64{0.0009, 0.1776}},
		{5, 10, [2]float64{0.2366, 0.7634}, [2]float64{0.1871, 0.8129}},
	}
	for _, test := range tests {
		w, c := Wilson(test.k, test.n, 0.95), ClopperPearson(test.k, test.n, 0.95)
		near(t, "wilson low", w.Low, test.wilson[0], 5e-5)
		near(t, "wilson high", w.High, test.wilson[1], 5e-5)
		near(t, "clopper-pearson low", c.Low, test.clopperExact[0], 5e-5)
		near(t, "clopper-pearson high", c.High, test.clopperExact[1], 5e-5)
	}
}

func TestWilsonBoundsAreWhereTheScoreTestJustRejects(t *testing.T) {
	for _, n := range []int{1, 2, 7, 20, 70, 700, 12032} {
		for _, k := range []int{0, 1, n / 10, n / 2, n - 1, n} {
			interval := Wilson(k, n, 0.95)
			p := float64(k) / float64(n)
			for _, bound := range []float64{interval.Low, interval.High} {
				if bound == p && (p == 0 || p == 1) {
					continue
				}
				score := math.Abs(p-bound) / math.Sqrt(bound*(1-bound)/float64(n))
				near(t, "score at the bound", score, z975, 1e-8)
			}
			if interval.Low < 0 || interval.High > 1 || !interval.Contains(p) {
				t.Errorf("%d/%d: %+v does not hold the proportion inside [0, 1]", k, n, interval)
			}
		}
	}
}

func TestClopperPearsonBoundsLeaveHalfAlphaInEachTail(t *testing.T) {
	for _, n := range []int{1, 5, 20, 70, 300} {
		for k := 0; k <= n; k += max(1, n/7) {
			interval := ClopperPearson(k, n, 0.95)
			if k > 0 {
				near(t, "upper tail at the low bound", exactBinomialTail(k, n, interval.Low), 0.025, 1e-9)
			}
			if k < n {
				near(t, "lower tail at the high bound", 1-exactBinomialTail(k+1, n, interval.High), 0.025, 1e-9)
			}
		}
	}
	if got := ClopperPearson(0, 8, 0.95).Low; got != 0 {
		t.Errorf("no success: low bound %g, want 0", got)
	}
	if got := ClopperPearson(8, 8, 0.95).High; got != 1 {
		t.Errorf("all successes: high bound %g, want 1", got)
	}
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

func TestWilsonCoversAsOftenAsItSays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const draws = 600
	for _, n := range []int{20, 70, 700} {
		covered, total := 0, 0
		for percent := 5; percent <= 95; percent += 5 {
			p := float64(percent) / 100
			for range draws {
				k := 0
				for range n {
					if random.Float64() < p {
						k++
					}
				}
				total++
				if Wilson(k, n, 0.95).Contains(p) {
					covered++
				}
			}
		}
		if share := float64(covered) / float64(total); share < 0.93 || share > 0.97 {
			t.Errorf("n = %d: covers %.4f, want 0.93 to 0.97", n, share)
		}
	}
}

func TestProportionOfNothingIsUndefined(t *testing.T) {
	if !Wilson(0, 0, 0.95).IsZero() {
		t.Error("Wilson's interval of nothing is defined")
	}
	if !ClopperPearson(0, 0, 0.95).IsZero() {
		t.Error("Clopper–Pearson of nothing is defined")
	}
}
