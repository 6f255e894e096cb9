package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Hollander and Wolfe 1973, p. 69f: permeability of human membranes; W = 35.
var (
	atTerm      = []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	atMidterm   = []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	withTiesOne = []float64{1, 2, 2, 3, 3, 3, 5, 8, 8}
	withTiesTwo = []float64{2, 3, 5, 5, 8, 9, 9}
)

func TestMannWhitneyPublished(t *testing.T) {
	u, _ := rankStatistic(atTerm, atMidterm)
	near(t, "U", u, 35, 0)
	near(t, "two-sided p", value(t, "p", MannWhitney(atTerm, atMidterm)), 2*0.1272, 1e-4)
	near(t, "three below three", value(t, "p", MannWhitney([]float64{1, 2, 3}, []float64{4, 5, 6})), 0.1, 1e-15)
}

// arranged is the two-sided p by giving the pooled values to the first sample in every possible way.
func arranged(a, b []float64) float64 {
	pool := append(append([]float64{}, a...), b...)
	observed, _ := rankStatistic(a, b)
	centre := float64(len(a)*len(b)) / 2
	atLeast, total := 0, 0
	for mask := range 1 << len(pool) {
		if bits.OnesCount(uint(mask)) != len(a) {
			continue
		}
		u := 0.0
		for i, x := range pool {
			for j, y := range pool {
				if mask>>i&1 == 1 && mask>>j&1 == 0 {
					switch {
					case x > y:
						u++
					case x == y:
						u += 0.5
					}
				}
			}
		}
		total++
		if math.Abs(u-centre) >= math.Abs(observed-centre)-1e-9 {
			atLeast++
		}
	}
	return float64(atLeast) / float64(total)
}

func TestMannWhitneyAgreesWithAllArrangements(t *testing.T) {
	near(t, "exact", value(t, "p", MannWhitney(atTerm, atMidterm)), arranged(atTerm, atMidterm), 1e-13)
	near(t, "either way round", value(t, "p", MannWhitney(atMidterm, atTerm)), arranged(atTerm, atMidterm), 1e-13)
	near(t, "normal with ties", value(t, "p", MannWhitney(withTiesOne, withTiesTwo)), arranged(withTiesOne, withTiesTwo), 0.012)
}

func TestMannWhitneyAtTheEdges(t *testing.T) {
	if MannWhitney(nil, []float64{1}).Defined() {
		t.Error("an empty sample has a p-value")
	}
	near(t, "all values the same", value(t, "p", MannWhitney([]float64{2, 2}, []float64{2, 2, 2})), 1, 0)
	// U = 2 of 2 pairs, variance 1·2/12·(4 − 6/(3·2)) = ½, with continuity (1 − ½)/√½
	near(t, "one against two that are tied", value(t, "p", MannWhitney([]float64{3}, []float64{1, 1})), math.Erfc(0.5), 1e-12)
	random := rand.New(rand.NewPCG(14, 14))
	a, b := make([]float64, 400), make([]float64, 300) // beyond the exact sizes
	for i := range a {
		a[i] = random.NormFloat64() + 0.5
	}
	for i := range b {
		b[i] = random.NormFloat64()
	}
	if p := value(t, "p", MannWhitney(a, b)); p > 1e-6 {
		t.Errorf("half a standard deviation apart: p = %g", p)
	}
}

func TestMedianIntervalUsesThePrintedRanks(t *testing.T) {
	// Conover 1999 and other tables: for 95 %, the ranks of the two order statistics.
	for n, ranks := range map[int][2]float64{6: {1, 6}, 10: {2, 9}, 15: {4, 12}, 20: {6, 15}, 25: {8, 18}} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(n - i)
		}
		got := Median(values, 0.95)
		near(t, "median", value(t, "median", got.Value), float64(n+1)/2, 0)
		near(t, "low", got.Interval.Low, ranks[0], 0)
		near(t, "high", got.Interval.High, ranks[1], 0)
	}
	few := Median([]float64{3, 1, 2, 5, 4}, 0.95)
	if !few.Interval.IsZero() || len(few.Warnings) != 1 || few.Value.Or(0) != 3 {
		t.Errorf("five values: %+v", few)
	}
	if Median(nil, 0.95).Value.Defined() {
		t.Error("the median of nothing is defined")
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{40, 10, 20, 30}
	for q, want := range map[float64]float64{0: 10, 0.5: 25, 0.95: 38.5, 1: 40} {
		near(t, "quantile", value(t, "quantile", Quantile(values, q)), want, 1e-12)
	}
	near(t, "of one value", value(t, "quantile", Quantile([]float64{7}, 0.95)), 7, 0)
	if Quantile(nil, 0.5).Defined() {
		t.Error("the quantile of nothing is defined")
	}
	if values[0] != 40 {
		t.Error("the values were reordered")
	}
}
