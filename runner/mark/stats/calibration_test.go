package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestCalibrationErrorByHand(t *testing.T) {
	forecasts := []Forecast{{0.1, false}, {0.05, true}, {0.1000001, false}, {0.95, true}, {1, true}, {0.91, false}, {0, false}}
	for i, want := range []int{0, 0, 1, 9, 9, 9, 0} {
		if got := forecasts[i].Bin(); got != want {
			t.Errorf("%g is in bin %d, want %d", forecasts[i].Confidence, got, want)
		}
	}
	// |0.15 − 1| of three, |0.1000001 − 0| of one, |2.86 − 2| of three
	want := (0.85 + 0.1000001 + 0.86) / 7
	if got := CalibrationError(forecasts).Or(9); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
	if CalibrationError(nil).Defined() {
		t.Error("of nothing")
	}
}

// A calibrated model stays below the quantile as often as that says, and has the mean.
func TestACalibratedModelsErrorIsWhatIsSaidOfOne(t *testing.T) {
	const rounds, items = 200, 120
	random := rand.New(rand.NewPCG(5, 6))
	below, sum, said := 0, 0.0, 0.0
	for range rounds {
		forecasts := make([]Forecast, items)
		for i := range forecasts {
			c := 0.1 + 0.9*random.Float64()
			forecasts[i] = Forecast{c, random.Float64() < c}
		}
		mean, most := CalibratedError(forecasts, 0.95)
		found := CalibrationError(forecasts).Or(9)
		if found <= most.Or(0) {
			below++
		}
		sum, said = sum+found/rounds, said+mean.Or(0)/rounds
	}
	if share := float64(below) / rounds; share < 0.91 || share > 0.99 || math.Abs(sum-said) > 0.005 {
		t.Errorf("below in %.3f of the samples; mean %.4f, said %.4f", share, sum, said)
	}
	if _, most := CalibratedError(nil, 0.95); most.Defined() {
		t.Error("of nothing")
	}
}

// Other samples, which the forecasts in another order draw, find the same digits, or the next.
func TestACalibratedModelsErrorHasTheDigitsThatItsSamplesCarry(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for items, unit := range map[int]float64{40: 0.01, 400: 0.003, 3000: 0.001} {
		forecasts := make([]Forecast, items)
		for i := range forecasts {
			forecasts[i].Confidence = 0.1 + 0.9*random.Float64()
		}
		mean, most := CalibratedError(forecasts, 0.95)
		for range 2 {
			random.Shuffle(items, func(i, j int) { forecasts[i], forecasts[j] = forecasts[j], forecasts[i] })
			otherMean, otherMost := CalibratedError(forecasts, 0.95)
			for what, pair := range map[string][2]Number{"mean": {mean, otherMean}, "most": {most, otherMost}} {
				a, b := pair[0].Or(9), pair[1].Or(8)
				if math.Abs(a-b) > unit+1e-9 || math.Abs(1000*a-math.Round(1000*a)) > 1e-9 {
					t.Errorf("%d items: %s %v and %v", items, what, pair[0], pair[1])
				}
			}
		}
	}
}
