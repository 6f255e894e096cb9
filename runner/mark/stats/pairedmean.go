package stats

import "math"

// PairedTotals compares two runs by a statistic of the totals over the same questions, in [−1, 1], such as the difference of two
// balanced accuracies, with the error of [OfTotals]. Its interval holds every difference that its test does not rule out:
//
//	|z(δ)| = (|d̂ − δ| − 1/5n)/√max(SE² + |d̂ − δ|·(|d̂ − δ| + (1 − |δ|)/2)/n, (|δ| − δ²)/n)
//
// where n is the number of questions, and 1/5n is [PairedScore]'s correction for continuity. The first variance is the score test's
// around δ, plus half of the variance of losing the rest in whole questions, since a draw with few of the losses also has too small
// an SE. SE is 0 where no question changed. The second is the smallest variance of a difference of δ made of whole questions, as in
// [PairedScore]; the two tests are close where questions are right or wrong. Undefined for fewer than [FewestPairs].
func PairedTotals(questions [][]float64, statistic Statistic, confidence float64) Estimate {
	if len(questions) < FewestPairs {
		return Estimate{}
	}
	e := OfTotals([]Sample{questions}, statistic, -1, 1, confidence)
	e.Interval, e.test = Interval{}, test{}
	if !e.Value.Defined() {
		return e
	}
	t := pairedTotals{e.Value.value, e.SE.Or(0), float64(len(questions))}
	e.Interval = inverted(t.z, t.gap, confidence, "paired score")
	if e.SE.Or(0) == 0 {
		e.SE = Undefined
	}
	e.test.p = func(null float64) Number { return atMostOne(normalTail(math.Abs(t.z(null))).Times(2)) }
	return e
}

// pairedTotals is a difference with its standard error, over n questions.
type pairedTotals struct{ gap, error, n float64 }

// z is the difference's distance from null, in standard errors.
func (t pairedTotals) z(null float64) float64 {
	far, least := math.Abs(t.gap-null), math.Abs(null)-null*null
	beyond := far - continuity/t.n
	if beyond <= 0 {
		return 0
	}
	variance := max(t.error*t.error+far*(far+(1-math.Abs(null))*lacked)/t.n, least/t.n)
	return math.Copysign(beyond/math.Sqrt(variance), t.gap-null)
}

// lacked is the share of a loss that was not drawn by which the variance is larger.
const lacked = 1.0 / 2

// inverted is the interval of all differences around value for which z is within the confidence's quantile.
func inverted(z func(null float64) float64, value, confidence float64, method string) Interval {
	reach := normalQuantile(confidence)
	inside := func(null float64) bool { return math.Abs(z(null)) <= reach }
	return between(bisect(value, -1, 100, inside), bisect(value, 1, 100, inside), -1, 1, confidence, method)
}
