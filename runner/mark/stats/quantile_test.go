package stats

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

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
	assert.Check(t, few.Interval.IsZero() && len(few.Warnings) == 1 && few.Value.Or(0) == 3, "five values: %+v", few)
	assert.Check(t, !Median(nil, 0.95).Value.Defined(), "the median of nothing is defined")
}

func TestQuantile(t *testing.T) {
	values := []float64{40, 10, 20, 30}
	for q, want := range map[float64]float64{0: 10, 0.5: 25, 0.95: 38.5, 1: 40} {
		near(t, "quantile", value(t, "quantile", Quantile(values, q)), want, 1e-12)
	}
	near(t, "of one value", value(t, "quantile", Quantile([]float64{7}, 0.95)), 7, 0)
	assert.Check(t, !Quantile(nil, 0.5).Defined(), "the quantile of nothing is defined")
	assert.Check(t, values[0] == 40, "the values were reordered")
}

func TestSpreadOfRepeatedMeasurements(t *testing.T) {
	mean, deviation := Spread([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	near(t, "mean", value(t, "mean", mean), 5, 1e-15)
	near(t, "deviation", value(t, "deviation", deviation), math.Sqrt(32.0/7), 1e-15)
	if mean, deviation := Spread([]float64{3}); value(t, "mean", mean) != 3 || deviation.Defined() {
		t.Errorf("one value: %v ± %v", mean, deviation)
	}
	if mean, deviation := Spread(nil); mean.Defined() || deviation.Defined() {
		t.Errorf("no value: %v ± %v", mean, deviation)
	}
}
