package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Cluster counts items that belong together, such as one question's, and the successes among them.
type Cluster struct{ Successes, Items int }

// Totals are the successes and items of each cluster that has items, as a [Sample] has them.
func Totals(clusters []Cluster) [][]float64 {
	var totals [][]float64
	for _, c := range clusters {
		if c.Items > 0 {
			totals = append(totals, []float64{float64(c.Successes), float64(c.Items)})
		}
	}
	return totals
}

// ClusteredProportion is Σsuccesses / Σitems over clusters whose items depend on each other. Its standard error is that of Miller 2024
// (arXiv 2411.00640, eq. 4), √(Σ_c (Σ_i (x_ci − x̄))²) / n, times √(C/(C−1)) for the number of clusters C, which equals that of
// [OfTotals] for a ratio. Clusters without items are left out. Undefined without items; with one cluster the value has no error and no
// interval.
func ClusteredProportion(clusters []Cluster, confidence float64) Estimate {
	return OfTotals([]Sample{Totals(clusters)}, OfRatio, 0, 1, confidence)
}

// Mean is the average of independent scores in [0, 1], one a question, with SE = s/√n (Miller 2024, eq. 1) and Wilson's
// interval at the effective size, see [bounded]. Undefined without scores; one score has no error and no interval.
func Mean(scores []float64, confidence float64) Estimate {
	return OfTotals([]Sample{ones(scores)}, OfRatio, 0, 1, confidence)
}

// ones are scores as the totals of a question each.
func ones(scores []float64) [][]float64 {
	totals := make([][]float64, len(scores))
	for i, x := range scores {
		totals[i] = []float64{x, 1}
	}
	return totals
}

// Warnings on intervals that are not based on the variation between questions.
const (
	oneQuestion    = "one question alone has no standard error"
	alikeQuestions = "all questions came out alike, so the interval rests on their number alone"
)

// roundingVariance is below any variance that counts of up to a million questions can have, and above the rounding error where it
// should be 0.
const roundingVariance = 1e-28

// moments are the mean and the unbiased variance; the variance of fewer than two values is NaN.
func moments(values []float64) (mean, variance float64) { return stat.MeanVariance(values, nil) }

// Spread is the mean of the values and their sample standard deviation, √(Σ(x − x̄)² / (n−1)), for repeated measurements of one
// quantity. The mean of no values and the deviation of fewer than two are undefined.
func Spread(values []float64) (mean, deviation Number) {
	average, variance := moments(values)
	return Of(average), Of(math.Sqrt(variance))
}

// Exceeds is the one-sided p-value of "the mean is 0 or less" for independent values, from t = x̄/(s/√n) with n−1
// degrees of freedom (Student 1908). Undefined for fewer than two values and for values that are all alike.
func Exceeds(values []float64) Number {
	if len(values) < 2 {
		return Undefined
	}
	mean, variance := moments(values)
	if variance <= roundingVariance {
		return Undefined
	}
	n := float64(len(values))
	return studentTail(mean/math.Sqrt(variance/n), n-1)
}
