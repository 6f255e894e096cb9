package stats

import "math"

// PairedTotals compares two runs by a statistic of the totals over the same questions, in [−1, 1], such as the difference of two
// balanced accuracies, with the error of [OfTotals]. Its interval holds every difference that its test does not rule out:
//
//	|z(δ)| = (|d̂ − δ| − 1/5n)/√max(SE² + (d̂ − δ)²/n, (|δ| − δ²)/n)
//
// where n is the number of questions, all weighted as the heaviest, and 1/5n is [PairedScore]'s correction for continuity. The first
// variance is the score test's around δ. It is 0 where no question changed. The second is the least that a difference of δ takes,
// made of whole questions, as in [PairedScore]; the two tests are close where questions are right or wrong. |z| is at most √n, so
// that up to three questions rule nothing out: they have neither interval nor p.
func PairedTotals(samples []Sample, statistic Statistic, confidence float64) Estimate {
	e := OfTotals(samples, LikeThese, statistic, -1, 1, confidence)
	e.Interval, e.test = Interval{}, test{}
	questions, n := 0, wholeByHeaviest(samples)
	for _, s := range samples {
		questions += len(s.Questions)
	}
	reach := normalQuantile(confidence)
	if !e.Value.Defined() || float64(questions) <= reach*reach {
		e.SE = Undefined
		return e
	}
	z := func(null float64) float64 {
		far, error := e.Value.value-null, e.SE.value
		beyond := math.Abs(far) - continuity/n
		if beyond <= 0 {
			return 0
		}
		return math.Copysign(beyond, far) / math.Sqrt(max(error*error+far*far/n, (math.Abs(null)-null*null)/n))
	}
	if e.SE.value == 0 {
		e.SE = Undefined
	}
	e.Interval = inverted(z, e.Value.value, confidence, "paired score")
	e.test.p = func(null float64) Number { return atMostOne(normalTail(math.Abs(z(null))).Times(2)) }
	return e
}

// wholeByHeaviest is what all questions count, by what the heaviest of them does.
func wholeByHeaviest(samples []Sample) float64 {
	whole, heaviest := 0.0, 0.0
	for _, s := range samples {
		count := float64(len(s.Questions))
		if count == 0 {
			continue
		}
		weight := 1.0
		if s.Population > 0 {
			weight = float64(s.Population) / count
		}
		whole, heaviest = whole+weight*count, max(heaviest, weight)
	}
	return whole / heaviest
}

// inverted is the interval of all differences around value that are no further from it than the confidence's quantile.
func inverted(z func(null float64) float64, value, confidence float64, method string) Interval {
	reach := normalQuantile(confidence)
	bound := func(end float64) float64 {
		inside, outside := value, end
		for range 100 {
			if middle := (inside + outside) / 2; math.Abs(z(middle)) <= reach {
				inside = middle
			} else {
				outside = middle
			}
		}
		return inside
	}
	return between(bound(-1), bound(1), -1, 1, confidence, method)
}
