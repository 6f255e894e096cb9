package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// leastP is what a smaller p-value reads as: an upper bound of it that is not 0. Further down, float64 lose digits and end in 0.
const leastP = 1e-300

// probability is a p-value, at most 1 and no less than [leastP]; undefined for NaN.
func probability(p float64) Number { return Of(min(1, max(p, leastP))) }

// Times is n·factor.
func (n Number) Times(factor float64) Number {
	if !n.defined {
		return Undefined
	}
	return Of(n.value * factor)
}

// regIncBeta is I_x(a, b), the distribution function of the beta distribution, for a, b > 0 and x in [0, 1].
func regIncBeta(a, b, x float64) Number { return probability(mathext.RegIncBeta(a, b, x)) }

// normalTail is P(Z ≥ z), accurate far into the upper tail.
func normalTail(z float64) Number { return probability(math.Erfc(z/math.Sqrt2) / 2) }

// studentTail is P(T ≥ t) for Student's t with df degrees of freedom, through the incomplete beta function, which
// keeps its relative precision in the upper tail (Abramowitz and Stegun 26.7.1).
func studentTail(t, df float64) Number {
	tail := regIncBeta(df/2, 0.5, df/(df+t*t)).Times(0.5)
	if t < 0 {
		return Of(1 - tail.value)
	}
	return tail
}
