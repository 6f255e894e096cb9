package recount

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A trial is what an interval was made of: a share of so many questions, or a mean with its standard error.
type trial struct {
	value, size, error, freedom float64
}

// logP is log10 of the two-sided p of "the true value is null".
func (t trial) logP(null float64) float64 {
	var tail float64
	if t.size == 0 {
		tail = math.Log10(distuv.StudentsT{Sigma: 1, Nu: t.freedom}.Survival(math.Abs(t.value-null) / t.error))
	} else if z := math.Abs(t.value-null) / math.Sqrt(null*(1-null)/t.size); z < 30 {
		tail = math.Log10(math.Erfc(z/math.Sqrt2) / 2)
	} else {
		tail = (math.Log(1-1/z/z+3/z/z/z/z) - z*z/2 - math.Log(z*math.Sqrt(2*math.Pi))) / math.Ln10
	}
	return math.Min(0, tail+math.Log10(2))
}

// needed is how many questions show with 80 % power that the value is above null.
func (t trial) needed(questions, null float64) float64 {
	if t.size == 0 {
		ratio := (z95 + distuv.UnitNormal.Quantile(0.8)) * t.error / (t.value - null)
		return math.Ceil(questions * ratio * ratio)
	}
	q := z95*math.Sqrt(null*(1-null)) + distuv.UnitNormal.Quantile(0.8)*math.Sqrt(t.value*(1-t.value))
	normal := math.Pow(q/(t.value-null), 2)
	n := math.Max(1, math.Floor(normal/2)) // where the power is far below that
	for normal < 1e6 {
		least := math.Floor(n*null + z95*math.Sqrt(n*null*(1-null))) // right answers that do not show it yet
		if least < n && (distuv.Binomial{N: n, P: t.value}).CDF(least) <= 0.2 {
			return math.Ceil(n * questions / t.size)
		}
		n++
	}
	return math.Ceil(math.Ceil(normal) * questions / t.size)
}

// against says of the headline, or of the question mean of several orders, whether it is told from guessing.
func (r *plainRun) against(weighted bool) {
	ci, baseline := "headline.ci", "headline.baseline"
	switch {
	case r.task == "mmlu_pro_circular":
		ci, baseline = "circular.question_mean_ci", "circular.question_mean_baseline"
	case weighted:
		ci = ".like.ci"
	}
	t, known := r.trials[ci]
	null := r.want[baseline]
	if !known || t.size == 0 && t.error == 0 {
		return
	}
	r.put("baseline.p_value", t.logP(null))
	if low := r.want[ci+".low"]; low <= null && t.value > null {
		r.put("baseline.questions_needed", t.needed(r.want["questions"], null))
	}
}
