// Package control makes the interval of a mean narrower with a second variable of which the mean over the whole set is known: a
// control variate.
//
// Of n questions drawn from N the difference d of two models is known, and of all N another difference c that goes with it, such as that
// of the same models' direct answers. The estimate is the mean of
//
//	e = d − β·(c − C)
//
// with C the mean of c over all N. Its variance is (1 − ρ²) of the mean's alone, with ρ the correlation of d and c and β = cov(d, c)/var(c)
// (Lavenberg and Welch 1981, Manag. Sci. 27:322). β is cross-fitted: questions are dealt out to two halves, and each takes the
// other's β, so that no question decides its own (Chernozhukov and others 2018, Econom. J. 21:C1); for any β the estimate has no
// bias.
//
// Of questions like these the set is a sample itself, in which C is uncertain: Var = s²(e)/n + β²·s²(c)/N, the two being uncorrelated
// at the best β. The interval is Student's with n − 2 degrees of freedom.
package control

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"proctor/runner/mark/stats"
)

// fewest is how many questions, and how many differences that are not 0, an interval takes: of fewer, variance is anybody's guess.
const (
	fewest  = 100
	unequal = 20
	Needs   = "100 questions and 20 that differ" // for people
)

// An Estimate is of the mean of d over the set.
type Estimate struct {
	Rho        stats.Number   `json:"rho,omitzero"`  // correlation of d and c where both are known
	Beta       stats.Number   `json:"beta,omitzero"` // mean of both halves'
	Difference stats.Number   `json:"difference,omitzero"`
	SE         stats.Number   `json:"difference_se,omitzero"`
	CI         stats.Interval `json:"difference_ci,omitzero"`
	Worth      stats.Number   `json:"worth,omitzero"` // how many times as many questions would tell as much without the control
}

// Of estimates it. c stands beside d; all are c's values over the whole set, the drawn questions' among them. Undefined where the
// questions are too few, or c is the same everywhere.
func Of(d, c, all []float64, confidence float64) (e Estimate) {
	differ := 0
	for _, x := range d {
		if x != 0 {
			differ++
		}
	}
	if len(d) < fewest || differ < unequal || len(all) < len(d) || stat.Variance(c, nil) == 0 {
		return e
	}
	mean := stat.Mean(all, nil)
	var halves [2][2][]float64 // of each half: d, c
	for i := range d {
		halves[i%2][0], halves[i%2][1] = append(halves[i%2][0], d[i]), append(halves[i%2][1], c[i])
	}
	var beta [2]float64 // that a half takes
	for half := range halves {
		if other := halves[1-half]; stat.Variance(other[1], nil) > 0 {
			beta[half] = stat.Covariance(other[0], other[1], nil) / stat.Variance(other[1], nil)
		}
	}
	adjusted := make([]float64, len(d))
	for i := range d {
		adjusted[i] = d[i] - beta[i%2]*(c[i]-mean)
	}
	b := (beta[0] + beta[1]) / 2
	value, n := stat.Mean(adjusted, nil), float64(len(d))
	of := b * b * stat.Variance(all, nil) / float64(len(all))
	variance := stat.Variance(adjusted, nil)/n + of
	if !(variance > 0) {
		return e
	}
	half := distuv.StudentsT{Nu: n - 2, Sigma: 1}.Quantile(0.5+confidence/2) * math.Sqrt(variance)
	return Estimate{
		Rho: stats.Of(stat.Correlation(d, c, nil)), Beta: stats.Of(b), Difference: stats.Of(value), SE: stats.Of(math.Sqrt(variance)),
		CI:    stats.Interval{Low: max(-1, value-half), High: min(1, value+half), Confidence: confidence, Method: "control variate, t"},
		Worth: stats.Of(stat.Variance(d, nil) / n / variance),
	}
}
