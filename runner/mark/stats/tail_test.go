package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

func TestBinomialTailAgreesWithExactSums(t *testing.T) {
	for _, n := range []int{1, 10, 100, 400} {
		for _, p := range []float64{0.1, 0.25, 0.5, 0.9} {
			for k := 1; k <= n; k += max(1, n/9) {
				want := exactBinomialTail(k, n, p)
				near(t, "tail", value(t, "tail", BinomialTail(k, n, p)), want, 1e-9*want+1e-300)
			}
		}
	}
	for name, got := range map[string]Number{"no trials": BinomialTail(0, 0, 0.5), "a chance above 1": BinomialTail(1, 2, 1.5),
		"NaN": BinomialTail(1, 2, math.NaN())} {
		assert.Check(t, !got.Defined(), "%s: defined", name)
	}
	near(t, "at least none", value(t, "tail", BinomialTail(0, 5, 0.3)), 1, 0)
	near(t, "more than all", value(t, "tail", BinomialTail(6, 5, 0.3)), 0, 0)
}

func TestPoissonBinomialTailAgreesWithEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	chances := make([]float64, 14)
	for i := range chances {
		chances[i] = 1 / float64(3+random.IntN(8))
	}
	tails := make([]float64, len(chances)+1) // tails[k] = P(X ≥ k), over all 2^14 outcomes
	for outcome := range 1 << len(chances) {
		probability, hits := 1.0, 0
		for i, p := range chances {
			if outcome>>i&1 == 1 {
				probability *= p
				hits++
			} else {
				probability *= 1 - p
			}
		}
		for k := 0; k <= hits; k++ {
			tails[k] += probability
		}
	}
	for k, want := range tails {
		near(t, "tail", value(t, "tail", PoissonBinomialTail(k, chances)), want, 1e-12*want)
	}
}

func TestPoissonBinomialTailWithEqualChancesIsBinomial(t *testing.T) {
	chances := slices.Repeat([]float64{0.1}, 400)
	for _, k := range []int{1, 40, 41, 60, 100, 200} {
		want := exactBinomialTail(k, len(chances), 0.1)
		near(t, "tail", value(t, "tail", PoissonBinomialTail(k, chances)), want, 1e-10*want)
	}
}

func TestPoissonBinomialTailAtTheEdges(t *testing.T) {
	const many = 2010
	certain := slices.Repeat([]float64{1}, many)
	for name, test := range map[string]struct {
		got  Number
		want float64
	}{
		"at least none is certain":                   {PoissonBinomialTail(0, []float64{0.2}), 1},
		"more than all is impossible":                {PoissonBinomialTail(2, []float64{0.2}), 0},
		"chance 0 never hits":                        {PoissonBinomialTail(1, []float64{0, 0}), 0},
		"many certain hits are certain":              {PoissonBinomialTail(many, certain), 1},
		"many certain hits and one more is none":     {PoissonBinomialTail(many+1, certain), 0},
		"all of three with chance a half, an eighth": {PoissonBinomialTail(3, []float64{0.5, 0.5, 0.5}), 0.125},
	} {
		near(t, name, value(t, name, test.got), test.want, 1e-15)
	}
	for name, chances := range map[string][]float64{"no trials": nil, "a chance above 1": {1.1}, "a chance below 0": {-0.1},
		"NaN": {math.NaN()}} {
		assert.Check(t, !PoissonBinomialTail(1, chances).Defined(), "%s: defined", name)
	}
}

func TestPValuesOfGuessingAreUniform(t *testing.T) {
	// p is discrete, so it is spread over its step: P(X > k) + U·P(X = k) is uniform under the null.
	const runs = 1500
	random := rand.New(rand.NewPCG(4, 4))
	ps := make([]float64, runs)
	for run := range ps {
		chances, hits := make([]float64, 70), 0
		for i := range chances {
			options := 3 + random.IntN(8)
			chances[i] = 1 / float64(options)
			if random.IntN(options) == 0 {
				hits++
			}
		}
		above := value(t, "tail", PoissonBinomialTail(hits+1, chances))
		ps[run] = above + random.Float64()*(value(t, "tail", PoissonBinomialTail(hits, chances))-above)
	}
	if distance, limit := kolmogorov(ps), 1.36/math.Sqrt(runs); distance > limit { // 5 %
		t.Errorf("Kolmogorov–Smirnov distance to the uniform distribution %.4f, limit %.4f", distance, limit)
	}
}

// kolmogorov is the largest distance between the empirical distribution of ps and the uniform one.
func kolmogorov(ps []float64) float64 {
	slices.Sort(ps)
	distance := 0.0
	for i, p := range ps {
		distance = max(distance, math.Abs(p-float64(i)/float64(len(ps))), math.Abs(p-float64(i+1)/float64(len(ps))))
	}
	return distance
}

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
	tenths := slices.Repeat([]float64{0.1}, 300)
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
		low, high := phi(z)+math.Log10(z/(1+z*z)), phi(z)-math.Log10(z)
		assert.Check(t, got > low && got < high, "normal tail at %g: 10^%g is not between 10^%g and 10^%g", z, got, low, high)
	}
	// t with 2 degrees of freedom is algebraic.
	near(t, "t, 2 degrees", log10Of(studentTail(1e140, 2)), -280-math.Log10(2), 1e-9)
}

func TestAPValueThatIsTooSmallReadsAsTheLeast(t *testing.T) {
	hundreds := slices.Repeat([]float64{0.01}, 500)
	for name, p := range map[string]Number{
		"normal": normalTail(60), "t": studentTail(60, 2000).Times(2),
		"beta": regIncBeta(4900, 101, 0.5), "poisson-binomial": PoissonBinomialTail(480, hundreds),
		"all hit": PoissonBinomialTail(500, hundreds), "McNemar": Pairs{OnlyA: 100, OnlyB: 4900}.McNemar().Times(0.5),
	} {
		got := value(t, name, p)
		assert.Check(t, got >= leastP && got <= 2*leastP, "%s: %g", name, got)
	}
	assert.Check(t, !probability(math.NaN()).Defined(), "NaN is a p-value")
}
