package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// DefaultConfidence is what an interval is made for where nobody says otherwise.
const DefaultConfidence = 0.95

// Wilson is the score interval of k successes in n independent trials:
//
//	(p̂ + z²/2n ± z·√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n)
//
// Source: Wilson 1927, JASA 22:209; recommended in Brown, Cai and DasGupta 2001. Undefined for n = 0.
func Wilson(k, n int, confidence float64) Interval {
	if n <= 0 {
		return Interval{}
	}
	return wilson(float64(k)/float64(n), float64(n), confidence, "wilson")
}

// Proportion is k successes in n independent trials with [Wilson]'s interval or, where exact is asked for, [ClopperPearson]'s.
// Undefined for n = 0.
func Proportion(k, n int, exact bool, confidence float64) Estimate {
	if n <= 0 {
		return Estimate{}
	}
	e := Estimate{Value: Ratio(k, n), Interval: Wilson(k, n, confidence)}
	if e.test = scoreTest(e.Value.value, float64(n)); exact {
		e.Interval = ClopperPearson(k, n, confidence)
		e.test.p = func(null float64) Number {
			tail, below := BinomialTail(k, n, null), BinomialTail(n-k, n, 1-null)
			if below.value < tail.value {
				tail = below
			}
			return twoSided(tail)
		}
	}
	return e
}

// wilson takes a proportion and a number of trials that need not be whole, for designs with an effective size.
func wilson(p, n, confidence float64, method string) Interval {
	low, high := wilsonBounds(p, n, normalQuantile(confidence))
	return between(low, high, 0, 1, confidence, method)
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

// ClopperPearson is the exact interval of k successes in n independent trials, from quantiles of the beta
// distribution: [B(α/2; k, n−k+1), B(1−α/2; k+1, n−k)]. It covers at least as often as it says, usually more often.
//
// Source: Clopper and Pearson 1934, Biometrika 26:404. Undefined for n = 0.
func ClopperPearson(k, n int, confidence float64) Interval {
	if n <= 0 {
		return Interval{}
	}
	alpha := 1 - confidence
	low, high := 0.0, 1.0
	if k > 0 {
		low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(alpha / 2)
	}
	if k < n {
		high = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - alpha/2)
	}
	return between(low, high, 0, 1, confidence, "clopper-pearson")
}

// normalQuantile is the z that a two-sided normal interval of this confidence reaches to.
func normalQuantile(confidence float64) float64 {
	return distuv.UnitNormal.Quantile(1 - (1-confidence)/2)
}

// studentQuantile is the t, with df degrees of freedom, that a two-sided interval of this confidence reaches to.
func studentQuantile(confidence, df float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - (1-confidence)/2)
}
