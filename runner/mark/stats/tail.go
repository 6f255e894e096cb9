package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/combin"
)

// BinomialTail is P(X ≥ k) for X ~ Binomial(n, p), through the identity with the incomplete beta function,
// I_p(k, n−k+1) (Abramowitz and Stegun 26.5.24). Undefined for n = 0 and for p outside [0, 1].
func BinomialTail(k, n int, p float64) Number {
	switch {
	case n <= 0 || !(p >= 0 && p <= 1):
		return Undefined
	case k <= 0:
		return Of(1)
	case k > n:
		return Of(0)
	}
	return Of(mathext.RegIncBeta(float64(k), float64(n-k+1), p))
}

// BinomialChance is P(X = k) for X ~ Binomial(n, p), 0 outside 0 … n.
func BinomialChance(k, n int, p float64) float64 {
	switch {
	case k < 0 || k > n:
		return 0
	case p <= 0 || p >= 1: // 0·ln 0
		if k == int(p)*n {
			return 1
		}
		return 0
	}
	return math.Exp(combin.LogGeneralizedBinomial(float64(n), float64(k)) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// PoissonBinomialTail is P(X ≥ k) where X counts the successes of independent trials with the given chances, each in
// [0, 1]: the one-sided p-value of "no better than guessing" for k right answers.
//
// It is exact, however many trials there are: the distribution is built one trial at a time (all terms positive, so it is
// stable; Chen and Liu 1997, Statistica Sinica 7:875). Far out, where it would underflow, it is built from tilted chances (see
// [tilt]), down to [leastP]. Undefined without trials and for chances outside [0, 1].
func PoissonBinomialTail(k int, chances []float64) Number {
	if len(chances) == 0 {
		return Undefined
	}
	mean, possible := 0.0, 0
	for _, p := range chances {
		if !(p >= 0 && p <= 1) {
			return Undefined
		}
		mean += p
		if p > 0 {
			possible++
		}
	}
	switch {
	case k <= 0:
		return Of(1)
	case k > possible:
		return Of(0)
	case k == possible:
		return allHit(chances)
	case float64(k) <= mean:
		return Of(min(1, tiltedTail(k, chances, 0)))
	}
	theta, cumulant := tilt(k, chances)
	tilted := make([]float64, len(chances))
	for i, p := range chances {
		up := p * math.Exp(theta)
		tilted[i] = up / (1 - p + up)
	}
	return probability(tiltedTail(k, tilted, theta) * math.Exp(cumulant-theta*float64(k)))
}

// allHit is the chance that every trial with a chance above 0 hits.
func allHit(chances []float64) Number {
	all := 1.0
	for _, p := range chances {
		if p > 0 {
			all *= p
		}
	}
	return probability(all)
}

// tilt finds the θ for which the chances p·e^θ/(1 − p + p·e^θ) add up to k, and K(θ) = Σ ln(1 − p + p·e^θ): under them k is
// the mean, and P(X = j) = P_θ(X = j)·e^(K(θ) − θj). Source: Esscher 1932, Skand. Aktuarietidskr. 15:175.
func tilt(k int, chances []float64) (theta, cumulant float64) {
	theta = bisect(0, 700, 60, func(theta float64) bool {
		mean := 0.0
		for _, p := range chances {
			mean += p / (p + (1-p)*math.Exp(-theta))
		}
		return mean < float64(k)
	})
	for _, p := range chances {
		cumulant += math.Log1p(p * math.Expm1(theta))
	}
	return theta, cumulant
}

// reachable is the number of standard deviations around its mean to which a sum is computed: the rest has a chance below 10^-40.
const reachable = 14

// tiltedTail is Σ_{j ≥ k} P(X = j)·e^(−θ(j − k)) by convolution, in O(trials × standard deviation).
func tiltedTail(k int, chances []float64, theta float64) float64 {
	variance := 0.0
	for _, p := range chances {
		variance += p * (1 - p)
	}
	width := int(reachable*math.Sqrt(variance)) + 40
	probability := make([]float64, len(chances)+1) // probability[j] = P(j successes so far)
	probability[0] = 1
	mean := 0.0
	for done, p := range chances {
		first := max(0, int(mean)-width)
		for j := min(done+1, int(mean)+width); j > first; j-- {
			probability[j] = probability[j]*(1-p) + probability[j-1]*p
		}
		if first == 0 {
			probability[0] *= 1 - p
		} else {
			probability[first] = 0
		}
		mean += p
	}
	tail := 0.0
	for j := min(len(chances), int(mean)+width); j >= k; j-- { // from the far end, small terms first
		tail += probability[j] * math.Exp(-theta*float64(j-k))
	}
	return tail
}

// leastP replaces smaller p-values, as an upper bound that is not 0. Further down, float64 loses digits and becomes 0.
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
