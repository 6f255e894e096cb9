package recount

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A trial has the parts of an interval: a share of a number of questions, its standard error, and a function that joins two shares.
type trial struct {
	value, size, error float64
	join               func(z float64) (low, high float64)
}

// ends are Wilson's for a number of standard errors, or those of the exact interval that misses 1.4 times as often.
func (t trial) ends(z float64) (low, high float64) {
	if t.join != nil {
		return t.join(z)
	}
	n := t.size
	middle, half := t.value+z*z/2/n, z*math.Sqrt(t.value*(1-t.value)/n+z*z/4/n/n)
	low, high = (middle-half)/(1+z*z/n), (middle+half)/(1+z*z/n)
	tail := 1.4 * math.Erfc(z/math.Sqrt2) / 2
	exact := func(k float64) float64 {
		least, most := 0.0, 1.0
		for range 60 {
			if p := (least + most) / 2; k > 0 && logBeta(k, n-k+1, p) < math.Log(tail) {
				least = p
			} else {
				most = p
			}
		}
		return least
	}
	return max(0, min(low, exact(t.value*n))), min(1, max(high, 1-exact((1-t.value)*n)))
}

// logBeta is the logarithm of the beta distribution's chance below x: that of a number of successes or more in a number of trials.
func logBeta(k, rest, x float64) float64 {
	if p := (distuv.Beta{Alpha: k, Beta: rest}).CDF(x); p > 1e-200 {
		return math.Log(p)
	}
	sum, term := 1.0, 1.0 // of x^k(1−x)^rest/(k·B(k, rest)) times a series
	for j := 1.0; term > 1e-18*sum; j++ {
		term *= (k + rest + j - 1) / (k + j) * x
		sum += term
	}
	a, _ := math.Lgamma(k + rest)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(rest)
	return a - b - c + k*math.Log(x) + rest*math.Log1p(-x) + math.Log(sum)
}

// logP is log10 of the two-sided p of "the true value is null".
func (t trial) logP(null float64) float64 {
	if t.join != nil { // how many standard errors it takes
		least, most := 0.0, 37.0
		for range 60 {
			if low, high := t.join((least + most) / 2); low <= null && null <= high {
				most = (least + most) / 2
			} else {
				least = (least + most) / 2
			}
		}
		return math.Log10(math.Erfc(least / math.Sqrt2))
	}
	var tail float64
	if z := math.Abs(t.value-null) / math.Sqrt(null*(1-null)/t.size); z < 30 {
		tail = math.Log(math.Erfc(z/math.Sqrt2) / 2)
	} else {
		tail = math.Log(1-1/z/z+3/z/z/z/z) - z*z/2 - math.Log(z*math.Sqrt(2*math.Pi))
	}
	k, x := t.value*t.size, null
	if null > t.value {
		k, x = t.size-k, 1-x
	}
	if k <= 0 {
		return 0
	}
	return math.Min(0, math.Max(tail+math.Log(2), logBeta(k, t.size-k+1, x)+math.Log(2/1.4))/math.Ln10)
}

// needed is how many questions show with 80 % power that the value is above null.
func (t trial) needed(questions, null float64) float64 {
	if t.join != nil {
		ratio := (z95 + distuv.UnitNormal.Quantile(0.8)) * t.error / (t.value - null)
		return math.Ceil(questions * ratio * ratio)
	}
	q := z95*math.Sqrt(null*(1-null)) + distuv.UnitNormal.Quantile(0.8)*math.Sqrt(t.value*(1-t.value))
	normal := math.Pow(q/(t.value-null), 2)
	n := math.Max(1, math.Floor(normal/2)) // where the power is far below that
	for normal < 1e6 {
		least := math.Floor(n*null + z95*math.Sqrt(n*null*(1-null))) // right answers that do not show it yet
		for least < 59 && least < n && 1-(distuv.Binomial{N: n, P: null}).CDF(least) >= 0.035 {
			least++
		}
		if least < n && (distuv.Binomial{N: n, P: t.value}).CDF(least) <= 0.2 {
			return math.Ceil(n * questions / t.size)
		}
		n++
	}
	return math.Ceil(math.Ceil(normal) * questions / t.size)
}

// against says whether the headline, or the question mean of several orders, differs from guessing.
func (r *plainRun) against() {
	ci, baseline := "headline.ci", "headline.baseline"
	if r.task == "mmlu_pro_circular" {
		ci, baseline = "circular.question_mean_ci", "circular.question_mean_baseline"
	}
	t, known := r.trials[ci]
	null := r.want[baseline]
	if _, has := r.want[ci+".low"]; !known || !has {
		return
	}
	r.put("baseline.p_value", t.logP(null))
	if low := r.want[ci+".low"]; low <= null && t.value > null {
		if n := t.needed(r.want["questions"], null); n <= math.MaxInt32 {
			r.put("baseline.questions_needed", n)
		}
	}
}
