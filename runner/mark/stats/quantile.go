package stats

import (
	"math"
	"slices"
	"sort"
)

// Median is the middle value with the interval between two order statistics that covers at least with the confidence, whatever the
// distribution (Conover 1999, §3.2). The standard error is undefined, and so is the interval of too few values to bound a median with
// this confidence: fewer than 6 for 95 %. Undefined without values.
func Median(values []float64, confidence float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	estimate := Estimate{Value: Of((sorted[(n-1)/2] + sorted[n/2]) / 2)}
	// The largest r with P(Bin(n, ½) < r) ≤ α/2: the interval is from the r-th smallest to the r-th largest.
	r := sort.Search(n/2+1, func(r int) bool { return 1-BinomialTail(r+1, n, 0.5).value > (1-confidence)/2 })
	if r == 0 {
		estimate.Warnings = []string{"too few values for an interval of the median"}
		return estimate
	}
	estimate.Interval = between(sorted[r-1], sorted[n-r], math.Inf(-1), math.Inf(1), confidence, "order statistics")
	return estimate
}

// Quantile is the q-quantile (0 ≤ q ≤ 1) of values by linear interpolation between order statistics (Hyndman and Fan
// 1996, type 7). Undefined without values.
func Quantile(values []float64, q float64) Number {
	if len(values) == 0 {
		return Undefined
	}
	sorted := slices.Sorted(slices.Values(values))
	position := q * float64(len(sorted)-1)
	below := int(position)
	above := min(below+1, len(sorted)-1)
	return Of(sorted[below] + (position-float64(below))*(sorted[above]-sorted[below]))
}
