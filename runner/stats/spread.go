package stats

import "math"

// Spread is the mean of the values and their sample standard deviation, √(Σ(x − x̄)² / (n−1)): what repeated
// measurements of one thing are told by. The mean of no value and the deviation of fewer than two are undefined.
func Spread(values []float64) (mean, deviation Number) {
	if len(values) == 0 {
		return Undefined, Undefined
	}
	average, variance := moments(values)
	return Of(average), Of(math.Sqrt(variance))
}
