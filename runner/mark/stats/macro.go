package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Macro is the mean of the subjects' mean scores, each subject counting the same, with SE √(Σ s²/n)/subjects. The scores of a
// subject's questions are in [0, 1]: 0 or 1 for a question asked once, the mean of its repeats for others. The interval is Wilson's at
// the effective size x̄(1−x̄)/variance (Korn and Graubard 1998), which stays inside [0, 1].
//
// Note: a few questions of a subject are often all right or all wrong, and their variance of 0 is too small: intervals of the formula
// alone covered as little as 89 % of the time with 2 questions a subject. So the interval's variance is at least that with s² shrunk
// towards the variance S² of all scores, as if two of a subject's n questions had that: ((n − 2)s² + 2S²)/n, which is S² alone for one
// or two. Where subjects differ and each has few questions, it covers up to 99 % of the time.
//
// A subject with one question takes the variance of all questions, with a warning. Subjects without questions are left out.
func Macro(subjects [][]float64, confidence float64) Estimate {
	var all []float64
	count, alone := 0.0, 0
	for _, scores := range subjects {
		if len(scores) > 0 {
			count++
		}
		if len(scores) == 1 {
			alone++
		}
		all = append(all, scores...)
	}
	if len(all) == 0 {
		return Estimate{}
	}
	mean, meanSquare, variance, own, borrowed, units := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for _, scores := range subjects {
		n := float64(len(scores))
		if n == 0 {
			continue
		}
		ours, squares := moments(scores)
		if n == 1 {
			squares = stat.PopVariance(all, nil)
		}
		mean, meanSquare = mean+ours/count, meanSquare+floats.Dot(scores, scores)/n/count
		counts, share := 1/count/count/n, min(1, 2/n)
		units += counts
		variance += counts * squares
		own, borrowed = own+counts*squares*(1-share), borrowed+counts*share
	}
	if mean > 1-roundingSpread { // shares that should add up to 1 do so up to rounding
		mean = 1
	}
	estimate := Estimate{Value: Of(mean), SE: Of(math.Sqrt(variance))}
	if alone > 0 {
		estimate.Warnings = append(estimate.Warnings, fmt.Sprintf("%d of %d subjects had one question, "+
			"whose variance is taken from all", alone, len(subjects)))
	}
	if missing := len(subjects) - int(count); missing > 0 {
		estimate.Warnings = append(estimate.Warnings, leftOut(missing, len(subjects)))
	}
	effective := 1 / units
	if spread := meanSquare - mean*mean; spread > roundingSpread && mean > 0 && mean < 1 {
		effective = mean * (1 - mean) / max(variance, own+borrowed*spread)
	}
	whole := share{mean, effective}
	estimate.Interval, estimate.test = whole.interval(confidence, "wilson, effective size"), whole.test()
	return estimate
}

// leftOut is the warning of a mean of subjects that some have no part in.
func leftOut(missing, subjects int) string {
	return fmt.Sprintf("%d of %d subjects have no such figure and are left out", missing, subjects)
}

// roundingSpread is below any variance that scores of up to a million questions can have, and above the rounding error of a difference
// of two sums near 1 that should be 0: 14 subjects' mean of 0.9999999999999999 means 1, and must not get an interval of its own.
const roundingSpread = 1e-12
