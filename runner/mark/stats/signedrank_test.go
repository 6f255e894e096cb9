package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSignedRanksAreThoseOfTheBooks(t *testing.T) {
	// Hollander and Wolfe 1973, p. 29: nine patients' depression before and after a tranquilliser, R's ?wilcox.test: V = 40, one-sided
	// p = 0.01953.
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	var patients []float64
	for i := range before {
		patients = append(patients, before[i]-after[i])
	}
	for name, test := range map[string]struct {
		differences []float64
		plus, p     float64
	}{
		"Hollander and Wolfe": {patients, 40, 20.0 / 512},
		// Darwin's maize, as in SciPy's documentation of wilcoxon: statistic 24, p = 0.041259765625.
		"SciPy's example": {[]float64{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75}, 96, 0.041259765625},
		"zeros left out":  {[]float64{0, 0, 1, 2, -3, 0}, 3, 1},
		"all alike":       {[]float64{2, 2, 2, 2}, 10, 0.125},
	} {
		got := WilcoxonSignedRank(test.differences)
		if !got.Exact || got.Plus != test.plus || math.Abs(got.P.Or(9)-test.p) > 1e-12 {
			t.Errorf("%s: %+v, want %g and p = %.12g", name, got, test.plus, test.p)
		}
	}
	if none := WilcoxonSignedRank([]float64{0, 0}); none.P.Defined() || none.N != 0 {
		t.Errorf("without a difference: %+v", none)
	}
}

// With ties too, the exact p is that of all signs.
func TestTheExactSignedRankCountsAllSigns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + random.IntN(12)
		differences := make([]float64, n)
		for i := range differences {
			differences[i] = float64(1+random.IntN(5)) * float64(1-2*random.IntN(2))
		}
		got := WilcoxonSignedRank(differences)
		least := min(got.Plus, float64(n*(n+1))/2-got.Plus)
		atMost := 0
		for signs := range 1 << n {
			other := slices.Clone(differences)
			for i := range other {
				other[i] = math.Abs(other[i])
				if signs>>i&1 == 1 {
					other[i] = -other[i]
				}
			}
			plus := 0.0
			for _, d := range other {
				if d <= 0 {
					continue
				}
				below, same := 0.0, 0.0
				for _, e := range other {
					switch {
					case math.Abs(e) < d:
						below++
					case math.Abs(e) == d:
						same++
					}
				}
				plus += below + (same+1)/2
			}
			if plus <= least {
				atMost++
			}
		}
		if want := min(1, 2*float64(atMost)/math.Ldexp(1, n)); math.Abs(got.P.Or(9)-want) > 1e-12 {
			t.Fatalf("%v: p = %g, of all signs %g", differences, got.P.Or(9), want)
		}
	}
}

// Where all differences are of one size, the ranks with the ties' correction are the signs: z = (40 − 20)/√60.
func TestTiesAreCorrectedFor(t *testing.T) {
	differences := append(slices.Repeat([]float64{2}, 40), slices.Repeat([]float64{-2}, 20)...)
	want := math.Erfc(20 / math.Sqrt(60) / math.Sqrt2)
	if got := WilcoxonSignedRank(differences); got.Exact || math.Abs(got.P.Or(9)-want) > 1e-12 {
		t.Errorf("%+v, want p = %g", got, want)
	}
}

// From 51 on p is normal with the ties' correction, and about the exact one.
func TestTheNormalSignedRankIsNearTheExactOne(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		differences := make([]float64, 51)
		for i := range differences {
			differences[i] = math.Round(4*random.NormFloat64()+1.2) + 0.5
		}
		got := WilcoxonSignedRank(differences)
		ordered := slices.Clone(differences)
		slices.SortFunc(ordered, func(a, b float64) int { return int(2 * (math.Abs(a) - math.Abs(b))) })
		twice, n := make([]int, 51), 51
		for from := 0; from < n; {
			to := from
			for to < n && math.Abs(ordered[to]) == math.Abs(ordered[from]) {
				to++
			}
			for i := from; i < to; i++ {
				twice[i] = from + 1 + to
			}
			from = to
		}
		plus := int(2 * got.Plus)
		exact := exactSignedRank(twice, min(plus, n*(n+1)-plus)).Or(9)
		if p := got.P.Or(9); got.Exact || math.Abs(p-exact) > 0.01+0.05*exact {
			t.Errorf("p = %g, exactly %g", p, exact)
		}
	}
}

func TestThePairedTIsStudents(t *testing.T) {
	// Student 1908, hours of sleep gained by ten patients with two drugs: t = 4.0621 with 9 degrees of freedom, p = 0.002833, interval
	// 0.7001142 to 2.4598858 (R's ?sleep).
	mean, p := PairedT([]float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}, 0.95)
	if math.Abs(mean.Value.Or(0)-1.58) > 1e-12 || math.Abs(p.Or(0)-0.00283289) > 1e-8 ||
		math.Abs(mean.Interval.Low-0.7001142) > 1e-7 || math.Abs(mean.Interval.High-2.4598858) > 1e-7 {
		t.Errorf("%+v, p = %g", mean, p.Or(0))
	}
	if mean, p := PairedT([]float64{1, 1, 1}, 0.95); p.Defined() || !mean.Interval.IsZero() || mean.Value.Or(0) != 1 {
		t.Errorf("alike: %+v, %+v", mean, p)
	}
}
