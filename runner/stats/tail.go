package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// exactLimit is the number of trials up to which [PoissonBinomialTail] is exact.
const exactLimit = 2000

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

// PoissonBinomialTail is P(X ≥ k) where X counts the successes of independent trials with the given chances, each in
// [0, 1]: the one-sided p-value of "no better than guessing" for k right answers.
//
// Up to 2,000 trials it is exact: the distribution is built one trial at a time (all terms positive, so it is stable;
// Chen and Liu 1997, Statistica Sinica 7:875). Above, it is the normal tail with mean Σp, variance Σp(1−p) and
// continuity correction. Undefined without trials and for chances outside [0, 1].
func PoissonBinomialTail(k int, chances []float64) Number {
	if len(chances) == 0 {
		return Undefined
	}
	mean, variance := 0.0, 0.0
	for _, p := range chances {
		if !(p >= 0 && p <= 1) {
			return Undefined
		}
		mean += p
		variance += p * (1 - p)
	}
	switch {
	case k <= 0:
		return Of(1)
	case k > len(chances):
		return Of(0)
	case len(chances) <= exactLimit:
		return Of(exactTail(k, chances))
	}
	// Where every trial is certain the distance is infinite, and the tail 0 or 1.
	return Of(normalSurvival((float64(k) - 0.5 - mean) / math.Sqrt(variance)))
}

// exactTail is P(X ≥ k) by convolution, O(len(chances)²).
func exactTail(k int, chances []float64) float64 {
	probability := make([]float64, len(chances)+1) // probability[j] = P(j successes so far)
	probability[0] = 1
	for done, p := range chances {
		for j := done + 1; j > 0; j-- {
			probability[j] = probability[j]*(1-p) + probability[j-1]*p
		}
		probability[0] *= 1 - p
	}
	tail := 0.0
	for j := len(chances); j >= k; j-- { // from the far end, small terms first
		tail += probability[j]
	}
	return min(tail, 1)
}
