package stats

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"
)

// log10Of is the decimal logarithm of a probability that may be smaller than any float64.
func log10Of(t *testing.T, n Number) float64 {
	t.Helper()
	mantissa, exponent := n.Scientific()
	if mantissa == 0 {
		t.Fatal("the probability is 0: it underflowed")
	}
	return math.Log10(mantissa) + float64(exponent)
}

// log10Rat is the decimal logarithm of an exact fraction.
func log10Rat(r *big.Rat) float64 {
	f := new(big.Float).SetPrec(200).SetRat(r)
	exponent := f.MantExp(f)
	mantissa, _ := f.Float64()
	return math.Log10(mantissa) + float64(exponent)*math.Log10(2)
}

func TestTinyPValuesKeepTheirOrderOfMagnitude(t *testing.T) {
	// Exact, from whole numbers: P(X ≥ 900 of 1,000 at 1/10) and McNemar's 2·P(X ≤ 100 of 5,000 at 1/2).
	binomial := new(big.Rat)
	for k := int64(900); k <= 1000; k++ {
		ways := new(big.Int).Binomial(1000, k)
		ways.Mul(ways, new(big.Int).Exp(big.NewInt(9), big.NewInt(1000-k), nil))
		binomial.Add(binomial, new(big.Rat).SetFrac(ways, new(big.Int).Exp(big.NewInt(10), big.NewInt(1000), nil)))
	}
	tenths := make([]float64, 1000)
	for i := range tenths {
		tenths[i] = 0.1
	}
	near(t, "poisson-binomial", log10Of(t, PoissonBinomialTail(900, tenths)), log10Rat(binomial), 1e-9)

	sum := new(big.Int)
	for k := range int64(101) {
		sum.Add(sum, new(big.Int).Binomial(5000, k))
	}
	mcnemar := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), 5000))
	pairs := Pairs{Both: 10, OnlyA: 100, OnlyB: 4900, Neither: 10}
	near(t, "McNemar", log10Of(t, pairs.McNemar()), log10Rat(mcnemar), 1e-9)
	near(t, "mid-p", log10Of(t, pairs.McNemarMidP()), log10Rat(mcnemar)+math.Log10(0.51), 0.005) // the table is 0.98 of the tail

	// Mills' ratio bounds the normal tail: φ(z)·z/(1+z²) < P(Z ≥ z) < φ(z)/z. χ² with one degree of freedom is z² from both sides.
	phi := func(z float64) float64 { return (-z*z/2 - math.Log(math.Sqrt(2*math.Pi))) / math.Ln10 }
	for _, z := range []float64{38, 60, 200} {
		got := log10Of(t, normalTail(z))
		if low, high := phi(z)+math.Log10(z/(1+z*z)), phi(z)-math.Log10(z); !(got > low && got < high) {
			t.Errorf("normal tail at %g: 10^%g is not between 10^%g and 10^%g", z, got, low, high)
		}
		near(t, "χ²", log10Of(t, chiSquaredTail(z*z, 1)), got+math.Log10(2), 1e-6)
		ratio := z // Laplace's continued fraction of Mills' ratio: 1/(z + 1/(z + 2/(z + 3/(z + …
		for n := 50.0; n > 0; n-- {
			ratio = z + n/ratio
		}
		near(t, "normal tail", got, phi(z)-math.Log10(ratio), 2e-10)
	}
	// χ² with four degrees of freedom: e^(−x/2)·(1 + x/2).
	near(t, "χ², 4 degrees", log10Of(t, chiSquaredTail(1400, 4)), (-700+math.Log(701))/math.Ln10, 1e-9)
	// t with 1 degree of freedom is Cauchy, with 2 algebraic; with many it is normal.
	near(t, "t, 3,000 degrees", log10Of(t, studentTail(45, 3000)), -375.2, 0.5*375) // heavier than normal's −441, far from 0
	near(t, "t, 2 degrees", log10Of(t, studentTail(1e150, 2)), -300-math.Log10(2), 1e-9)
}

func TestTheTailsMeetWhereTheLogarithmTakesOver(t *testing.T) {
	for name, tail := range map[string]func(x float64) Number{
		"normal": normalTail,
		"t":      func(x float64) Number { return studentTail(x, 2000) },
		"χ²":     func(x float64) Number { return chiSquaredTail(x*x, 9) },
	} {
		last := 0.0
		for x := 34.0; x < 60; x += 0.125 { // logarithms fall, and ever more steeply
			p := tail(x)
			slope := p.log() - tail(x+0.125).log()
			if !(slope > 0.9*last) || !(slope < 12) {
				t.Errorf("%s at %g: ln falls by %g, before by %g", name, x, slope, last)
			}
			last = slope
		}
	}
}

func TestTinyProbabilitiesInJSONAreNotZero(t *testing.T) {
	p := Probability(-1200 * math.Ln10)
	text, err := json.Marshal(p)
	if err != nil || !json.Valid(text) {
		t.Fatalf("%s: %v", text, err)
	}
	f, _, err := big.ParseFloat(string(text), 10, 100, big.ToNearestEven)
	if err != nil || f.Sign() <= 0 || f.MantExp(nil) != -3986 { // log2 of 10^-1200 is −3986.3
		t.Errorf("%s reads as %v, %v", text, f, err)
	}
	if x, defined := p.Get(); !defined || x != 0 {
		t.Errorf("Get gives %g, %v", x, defined)
	}
	if twice := p.Times(2); math.Abs(twice.log()-p.log()-math.Ln2) > 1e-9 {
		t.Errorf("twice of it: ln %g", twice.log())
	}
	if Probability(math.NaN()).Defined() || Probability(math.Inf(-1)).Or(1) != 0 || Probability(0.1).Or(0) != 1 {
		t.Error("the edges of logarithms")
	}
	for n, want := range map[Number]struct {
		mantissa float64
		exponent int
	}{Of(0.000312): {3.12, -4}, Of(-20): {-2, 1}, Of(0): {0, 0}, Undefined: {0, 0}} {
		if m, e := n.Scientific(); math.Abs(m-want.mantissa) > 1e-9 || e != want.exponent {
			t.Errorf("%+v is %g·10^%d", n, m, e)
		}
	}
}

func TestAdjustedTinyPValuesKeepTheirOrder(t *testing.T) {
	ps := []Number{Probability(-2000), Of(0.5), Probability(-3000), Undefined, Of(1e-5)}
	holm := Holm(ps)
	near(t, "Holm, the smallest times 4", holm[2].log(), -3000+math.Log(4), 1e-9)
	near(t, "Holm, the next times 3", holm[0].log(), -2000+math.Log(3), 1e-9)
	near(t, "Holm, the third times 2", value(t, "p", holm[4]), 2e-5, 1e-18)
	all := Bonferroni(ps)
	near(t, "Bonferroni, the smallest times 4", all[2].log(), -3000+math.Log(4), 1e-9)
	near(t, "Bonferroni, the next times 4", all[0].log(), -2000+math.Log(4), 1e-9)
	if holm[3].Defined() || all[3].Defined() {
		t.Error("an undefined p is adjusted")
	}
}
