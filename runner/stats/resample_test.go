package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

func meanOf(values []float64) func(units []int32) float64 {
	return func(units []int32) float64 {
		sum := 0.0
		for _, unit := range units {
			sum += values[unit]
		}
		return sum / float64(len(units))
	}
}

func normalValues(n int) []float64 {
	random := rand.New(rand.NewPCG(15, 15))
	values := make([]float64, n)
	for i := range values {
		values[i] = random.NormFloat64()
	}
	return values
}

func TestBootstrapIsTheSameOnAnyNumberOfCores(t *testing.T) {
	values := normalValues(101)
	before := runtime.GOMAXPROCS(1)
	alone := Bootstrap(len(values), 300, 42, meanOf(values))
	runtime.GOMAXPROCS(4)
	together := Bootstrap(len(values), 300, 42, meanOf(values))
	runtime.GOMAXPROCS(before)
	if !slices.Equal(alone, together) {
		t.Error("one core and four give different replicates")
	}
	if slices.Equal(alone, Bootstrap(len(values), 300, 43, meanOf(values))) {
		t.Error("another seed gives the same replicates")
	}
}

func TestBootstrapOfAMeanHasTheTextbookError(t *testing.T) {
	values := normalValues(400)
	mean, variance := moments(values)
	got := Percentiles(mean, Bootstrap(len(values), 4000, 1, meanOf(values)), 0.95)
	want := math.Sqrt(variance * 399 / 400 / 400) // the plug-in standard error of a mean
	near(t, "standard error", value(t, "SE", got.SE), want, 0.03*want)
	near(t, "low", got.Interval.Low, mean-z975*want, 0.1*want)
	near(t, "high", got.Interval.High, mean+z975*want, 0.1*want)
}

func TestBootstrapDrawsEveryUnitEquallyOften(t *testing.T) {
	const n, replicates = 7, 6000
	var counts [n]int
	for _, units := range drawn(n, replicates) {
		for _, unit := range units {
			counts[unit]++
		}
	}
	statistic, expected := 0.0, float64(replicates)
	for _, count := range counts {
		statistic += (float64(count) - expected) * (float64(count) - expected) / expected
	}
	if statistic > 16.812 { // χ² with 6 degrees of freedom, 1 %
		t.Errorf("counts %v: χ² = %.2f", counts, statistic)
	}
}

func drawn(n, replicates int) [][]int32 {
	all := make([][]int32, replicates)
	for i := range all {
		all[i] = make([]int32, n)
		draw(all[i], rand.NewPCG(99, uint64(i)))
	}
	return all
}

func TestReplicatesPGoesWithTheInterval(t *testing.T) {
	values := normalValues(200)
	mean, _ := moments(values)
	for i := range values { // centred, then moved by two standard errors: p ≈ 2·P(Z ≥ 2) = 0.0455
		values[i] += 2/math.Sqrt(200) - mean
	}
	near(t, "two standard errors from 0", value(t, "p", ReplicatesP(Bootstrap(len(values), 8000, 3, meanOf(values)))), 0.0455, 0.012)
	near(t, "none beyond", value(t, "p", ReplicatesP([]float64{1, 2, 3})), 2.0/4, 1e-15)
	near(t, "none below", value(t, "p", ReplicatesP([]float64{-1, -2, -3})), 2.0/4, 1e-15)
	near(t, "all at 0", value(t, "p", ReplicatesP([]float64{0, 0, 0})), 1, 0)
	if ReplicatesP([]float64{math.NaN()}).Defined() || ReplicatesP(nil).Defined() {
		t.Error("no replicates, yet a p-value")
	}
}

func TestBootstrapOfNothing(t *testing.T) {
	if got := Bootstrap(0, 10, 1, meanOf(nil)); got != nil {
		t.Errorf("got %v", got)
	}
	got := Percentiles(0.5, nil, 0.95)
	if !got.Interval.IsZero() || got.SE.Defined() {
		t.Errorf("no replicates: %+v", got)
	}
	holed := Percentiles(0.5, []float64{0.4, math.NaN(), 0.6, 0.5}, 0.95)
	if holed.Interval.IsZero() || len(holed.Warnings) != 1 {
		t.Errorf("a replicate without a value: %+v", holed)
	}
}

func BenchmarkBootstrapOfTheFullSet(b *testing.B) {
	values := normalValues(12_032)
	for b.Loop() {
		Bootstrap(len(values), BootstrapReplicates, 1, meanOf(values))
	}
}
