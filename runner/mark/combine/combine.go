// Package combine combines figures of several tasks of one model, or of several subjects: by MMLU-Pro's four usual groups, and by
// groups that the user names.
//
//	--group ─ ParseGroup ─ Resolve ─ Shown ─▶ Groups ─ Measurer ─▶ Figures ─ MeanOf ─▶ Figure
//
// Neighbours: runner/mark/metrics makes the figures of each; runner/report's table lays them out.
package combine

import (
	"math"

	"proctor/runner/mark/stats"
)

// MeanOf is the mean of several tasks' scores. It is undefined where one of them is, and has an interval where all have
// one: by square-and-add of their distances from the values (MOVER: Zou and Donner 2008, Statist. Med. 27:1693), or,
// where they share questions and so have dependent errors, by adding the distances up.
func MeanOf(figures []Figure, shared bool) Figure {
	value, baseline, low, high := 0.0, 0.0, 0.0, 0.0
	confidence, whole := 0.0, true
	var mean Figure
	for _, f := range figures {
		x, weight := f.Value.Or(math.NaN()), 1/float64(len(figures))
		value += weight * x
		baseline += weight * f.Baseline.Or(math.NaN())
		down, up := weight*(x-f.CI.Low), weight*(f.CI.High-x)
		if !shared {
			down, up = down*down, up*up
		}
		low, high = low+down, high+up
		confidence, whole = f.CI.Confidence, whole && !f.CI.IsZero()
		mean.Over, mean.Subjects = mean.Over+f.Over, mean.Subjects+f.Subjects
	}
	method := "sum of the tasks' intervals"
	if !shared {
		low, high = math.Sqrt(low), math.Sqrt(high)
		method = "square-and-add of the tasks' intervals"
	}
	mean.Value, mean.Baseline = stats.Of(value), stats.Of(baseline)
	if whole && mean.Value.Defined() {
		mean.CI = stats.Interval{Low: max(0, value-low), High: min(1, value+high), Confidence: confidence, Method: method}
	}
	return mean
}
