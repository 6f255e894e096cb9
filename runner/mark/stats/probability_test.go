package stats

import (
	"math"
	"math/big"
	"testing"
)

// log10Rat is the decimal logarithm of an exact fraction.
func log10Rat(r *big.Rat) float64 {
	f := new(big.Float).SetPrec(200).SetRat(r)
	exponent := f.MantExp(f)
	mantissa, _ := f.Float64()
	return math.Log10(mantissa) + float64(exponent)*math.Log10(2)
}

func TestSmallPValuesKeepTheirDigits(t *testing.T) {
	// Exact, from whole numbers: P(X ≥ 260 of 300 at 1/10) and McNemar's 2·P(X ≤ 100 of 1,200 at 1/2).
	binomial := new(big.Rat)
	for k := int64(260); k <= 300; k++ {
		ways := new(big.Int).Binomial(300, k)
		ways.Mul(ways, new(big.Int).Exp(big.NewInt(9), big.NewInt(300-k), nil))
		binomial.Add(binomial, new(big.Rat).SetFrac(ways, new(big.Int).Exp(big.NewInt(10), big.NewInt(300), nil)))
	}
	tenths := make([]float64, 300)
	for i := range tenths {
		tenths[i] = 0.1
	}
	log10Of := func(n Number) float64 { return math.Log10(value(t, "p", n)) }
	near(t, "poisson-binomial", log10Of(PoissonBinomialTail(260, tenths)), log10Rat(binomial), 1e-9)

	sum := new(big.Int)
	for k := range int64(101) {
		sum.Add(sum, new(big.Int).Binomial(1200, k))
	}
	mcnemar := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), 1200))
	pairs := Pairs{Both: 10, OnlyA: 100, OnlyB: 1100, Neither: 10}
	near(t, "McNemar", log10Of(pairs.McNemar()), log10Rat(mcnemar), 1e-9)

	// Mills' ratio bounds the normal tail: φ(z)·z/(1+z²) < P(Z ≥ z) < φ(z)/z.
	phi := func(z float64) float64 { return (-z*z/2 - math.Log(math.Sqrt(2*math.Pi))) / math.Ln10 }
	for _, z := range []float64{12, 30, 36} {
		got := log10Of(normalTail(z))
		if low, high := phi(z)+math.Log10(z/(1+z*z)), phi(z)-math.Log10(z); !(got > low && got < high) {
			t.Errorf("normal tail at %g: 10^%g is not between 10^%g and 10^%g", z, got, low, high)
		}
	}
	// t with 2 degrees of freedom is algebraic.
	near(t, "t, 2 degrees", log10Of(studentTail(1e140, 2)), -280-math.Log10(2), 1e-9)
}

func TestAPValueThatIsTooSmallReadsAsTheLeast(t *testing.T) {
	hundreds := make([]float64, 500)
	for i := range hundreds {
		hundreds[i] = 0.01
	}
	for name, p := range map[string]Number{
		"normal": normalTail(60), "t": studentTail(60, 2000).Times(2),
		"beta": regIncBeta(4900, 101, 0.5), "poisson-binomial": PoissonBinomialTail(480, hundreds),
		"all hit": PoissonBinomialTail(500, hundreds), "McNemar": Pairs{OnlyA: 100, OnlyB: 4900}.McNemar().Times(0.5),
	} {
		if got := value(t, name, p); got < leastP || got > 2*leastP {
			t.Errorf("%s: %g", name, got)
		}
	}
	if probability(math.NaN()).Defined() {
		t.Error("NaN is a p-value")
	}
}
