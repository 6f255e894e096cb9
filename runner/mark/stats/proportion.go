package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// DefaultConfidence is the default confidence of intervals.
const DefaultConfidence = 0.95

// A share is p of n independent trials. Neither n nor the successes p·n need be whole, for designs with an effective size.
type share struct{ p, n float64 }

// missed is how often the exact interval that no share's is narrower than may miss, by 1 − confidence: 7 % beside 5 %.
const missed = 1.4

// bounds are Wilson's for a normal quantile z,
//
//	(p̂ + z²/2n ± z·√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n)
//
// or, where those reach further, the exact ones of an interval that misses 1.4 times as often. Wilson's cover 95 % on average,
// but 84 % where nearly all answers are right or wrong, and 92 % of the time elsewhere with few questions. No interval that
// holds the exact one of 93 % covers less than 93 %, whatever the share and the number of questions. Above some 45 right and 45
// wrong answers it is Wilson's. Source: Wilson 1927, JASA 22:209; Brown, Cai and DasGupta 2001, Statist. Sci. 16:101, who widen
// Wilson's at both ends.
func (s share) bounds(z float64) (low, high float64) {
	low, high = wilsonBounds(s.p, s.n, z)
	tail := missed * normalTail(z).value
	return min(low, exactLow(s.p*s.n, s.n, tail)), max(high, 1-exactLow((1-s.p)*s.n, s.n, tail))
}

// interval is named for Wilson, and for where it is wider than his; undefined where it says nothing.
func (s share) interval(confidence float64, method string) Interval {
	if !(s.n > 0) {
		return Interval{}
	}
	z := normalQuantile(confidence)
	low, high := s.bounds(z)
	if high-low > everything {
		return Interval{}
	}
	if plainLow, plainHigh := wilsonBounds(s.p, s.n, z); low < plainLow || high > plainHigh {
		method += ", widened"
	}
	return between(low, high, 0, 1, confidence, method)
}

// test is the test whose inversion the bounds are: the larger p of the score test and of the exact one.
func (s share) test() test {
	return test{size: s.n, p: func(null float64) Number {
		if !(null > 0 && null < 1) {
			return Undefined
		}
		score := twoSided(normalTail(math.Abs(s.p-null) / math.Sqrt(null*(1-null)/s.n)))
		extreme, chance := s.p*s.n, null
		if null > s.p {
			extreme, chance = s.n-extreme, 1-null
		}
		if extreme <= 0 {
			return Of(1)
		}
		return atMostOne(Of(max(score.value, regIncBeta(extreme, s.n-extreme+1, chance).value*2/missed)))
	}}
}

// Proportion is k successes in n independent trials with a [share]'s interval, and with the standard error s/√n of trials that are 0
// or 1, √(p(1−p)/(n−1)), which is [Mean]'s and lm-eval's. Undefined for n = 0; one trial has no error.
func Proportion(k, n int, confidence float64) Estimate {
	if n <= 0 {
		return Estimate{}
	}
	s := share{float64(k) / float64(n), float64(n)}
	e := Estimate{Value: Ratio(k, n), test: s.test(), Interval: s.interval(confidence, "wilson")}
	if n > 1 {
		e.SE = Of(math.Sqrt(s.p * (1 - s.p) / (s.n - 1)))
	}
	return e
}

func wilsonBounds(p, n, z float64) (low, high float64) {
	centre := p + z*z/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	low, high = (centre-spread)/scale, (centre+spread)/scale
	// The bound is exactly p at the ends; arithmetic misses it by a rounding error.
	if p <= 0 {
		low = 0
	}
	if p >= 1 {
		high = 1
	}
	return low, high
}

// exactLow is the chance of success for which at least this many of n trials succeed with probability tail: the lower bound of the
// exact interval (Clopper and Pearson 1934, Biometrika 26:404), a quantile of the beta distribution.
func exactLow(successes, n, tail float64) float64 {
	if successes <= 0 {
		return 0
	}
	return distuv.Beta{Alpha: successes, Beta: n - successes + 1}.Quantile(tail)
}

// normalQuantile is the z that a two-sided normal interval of this confidence reaches to.
func normalQuantile(confidence float64) float64 {
	return distuv.UnitNormal.Quantile(1 - (1-confidence)/2)
}

// studentQuantile is the t, with df degrees of freedom, that a two-sided interval of this confidence reaches to.
func studentQuantile(confidence, df float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - (1-confidence)/2)
}
