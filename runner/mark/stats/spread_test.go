package stats

import (
	"math"
	"testing"
)

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
