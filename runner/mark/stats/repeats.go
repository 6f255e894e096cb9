package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/combin"
)

func lnChoose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }

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
	return math.Exp(lnChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// Unlike is the share of pairs of repeats whose answers differ, given how often each answer came:
// 1 − Σ c(c−1)/(n(n−1)) with n = Σ c. It is what two more runs of the same model would differ by. Undefined for fewer
// than two repeats. Source: Fleiss 1971, Psychol. Bull. 76:378, one minus the agreement of a subject's raters.
func Unlike(counts []int) Number {
	n, same := 0, 0
	for _, c := range counts {
		n += c
		same += c * (c - 1)
	}
	if n < 2 {
		return Undefined
	}
	return Of(1 - float64(same)/float64(n*(n-1)))
}
