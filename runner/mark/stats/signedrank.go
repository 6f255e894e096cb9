package stats

import (
	"cmp"
	"math"
	"slices"
)

// SignedRank is Wilcoxon's signed-rank test of "differences are symmetric around 0". Source: Wilcoxon 1945, Biometrics Bull. 1:80.
type SignedRank struct {
	Plus  float64 `json:"rank_sum_plus"`    // of the differences above 0
	N     int     `json:"n"`                // differences that are not 0, which alone are ranked
	P     Number  `json:"p_value,omitzero"` // two-sided; undefined without any
	Exact bool    `json:"exact"`            // P is of all 2ᴺ signs, not of the normal approximation
}

// exactRanks is up to how many differences P is exact, as in R's wilcox.test and SciPy's wilcoxon.
const exactRanks = 50

// WilcoxonSignedRank tests differences of pairs. Those that are 0 are left out (zero_method "wilcox"), and those of one size
// have the mean of their ranks. Up to 50 differences P is exact with ties too, conditional on the ranks as they are: 2·P(T ≤ t) for
// the smaller of both rank sums, at most 1, where each rank has either sign with probability ½ (Streitberg and Röhmel 1986; R's
// coin::wilcoxsign_test with distribution "exact"). With more it is normal, with the variance n(n+1)(2n+1)/24 − Σ(t³−t)/48 over
// groups of t ties and no correction for continuity (SciPy's default; Lehmann 1975, §3.2).
func WilcoxonSignedRank(differences []float64) SignedRank {
	nonzero := slices.DeleteFunc(slices.Clone(differences), func(d float64) bool { return d == 0 })
	n := len(nonzero)
	test := SignedRank{N: n, Exact: n <= exactRanks}
	if n == 0 {
		return test
	}
	slices.SortFunc(nonzero, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	twice := make([]int, n) // the ranks, twice: those of ties may lie in the middle
	ties := 0.0
	for from := 0; from < n; {
		to := from + 1
		for to < n && math.Abs(nonzero[to]) == math.Abs(nonzero[from]) {
			to++
		}
		for i := from; i < to; i++ {
			twice[i] = from + 1 + to
		}
		t := float64(to - from)
		ties, from = ties+t*t*t-t, to
	}
	plus := 0
	for i, d := range nonzero {
		if d > 0 {
			plus += twice[i]
		}
	}
	test.Plus = float64(plus) / 2
	if test.Exact {
		test.P = exactSignedRank(twice, min(plus, n*(n+1)-plus))
		return test
	}
	count := float64(n)
	mean, variance := count*(count+1)/4, count*(count+1)*(2*count+1)/24-ties/48
	test.P = atMostOne(normalTail(math.Abs(test.Plus-mean) / math.Sqrt(variance)).Times(2))
	return test
}

// exactSignedRank is 2·P(T ≤ t), at most 1, for ranks and t given twice.
func exactSignedRank(twice []int, t int) Number {
	ways := make([]float64, t+1) // in which signs give each sum up to t: up to 2⁵⁰, so exact
	ways[0] = 1
	for _, rank := range twice {
		for sum := t; sum >= rank; sum-- {
			ways[sum] += ways[sum-rank]
		}
	}
	total := 0.0
	for _, w := range ways {
		total += w
	}
	return Of(min(1, 2*math.Ldexp(total, -len(twice))))
}

// PairedT is the mean of differences of independent pairs, with the interval d̄ ± t·s/√n and the two-sided p-value of "the mean is 0",
// n−1 degrees of freedom (Student 1908). Differences that are all alike have neither.
func PairedT(differences []float64, confidence float64) (mean Estimate, p Number) {
	mean = OfTotals(Alike(ones(differences)), LikeThese, OfRatio, math.Inf(-1), math.Inf(1), confidence)
	if se := mean.SE.Or(0); se > 0 {
		p = atMostOne(studentTail(math.Abs(mean.Value.Or(0))/se, float64(len(differences)-1)).Times(2))
		mean.Interval.Method = "paired t"
	}
	return mean, p
}
