package stats

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
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
		if got.Defined() {
			t.Errorf("%s: defined", name)
		}
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
	chances := make([]float64, 400)
	for i := range chances {
		chances[i] = 0.1
	}
	for _, k := range []int{1, 40, 41, 60, 100, 200} {
		want := exactBinomialTail(k, len(chances), 0.1)
		near(t, "tail", value(t, "tail", PoissonBinomialTail(k, chances)), want, 1e-10*want)
	}
}

func TestPoissonBinomialTailAtTheEdges(t *testing.T) {
	const many = 2010
	certain := make([]float64, many)
	for i := range certain {
		certain[i] = 1
	}
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
		if PoissonBinomialTail(1, chances).Defined() {
			t.Errorf("%s: defined", name)
		}
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
	sort.Float64s(ps)
	distance := 0.0
	for i, p := range ps {
		distance = max(distance, math.Abs(p-float64(i)/float64(len(ps))), math.Abs(p-float64(i+1)/float64(len(ps))))
	}
	return distance
}
