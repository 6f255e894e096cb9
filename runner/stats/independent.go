package stats

import (
	"math"
	"slices"
	"sort"
)

// exactPairs is the largest product of sample sizes for which [MannWhitney] counts the arrangements.
const exactPairs = 2500

// MannWhitney is the two-sided p-value of "neither of two independent samples tends to larger values". Without ties
// and for up to 2,500 pairs it is exact (counting arrangements: Mann and Whitney 1947, Ann. Math. Statist. 18:50),
// else normal with the variance corrected for ties and with continuity correction (Lehmann 1975, §1.4).
// Undefined when a sample is empty.
func MannWhitney(a, b []float64) Number {
	if len(a) == 0 || len(b) == 0 {
		return Undefined
	}
	u, ties := rankStatistic(a, b)
	n, m := float64(len(a)), float64(len(b))
	if ties == 0 && len(a)*len(b) <= exactPairs {
		return Of(exactMannWhitney(int(u), len(a), len(b)))
	}
	total := n + m
	variance := n * m / 12 * (total + 1 - ties/(total*(total-1)))
	if variance <= 0 { // all values are the same
		return Of(1)
	}
	distance := max(0, math.Abs(u-n*m/2)-0.5)
	return atMostOne(normalTail(distance / math.Sqrt(variance)).Times(2))
}

// rankStatistic is U (pairs in which a's value is the larger, ties counting a half) and Σ(t³−t) over groups of t ties.
func rankStatistic(a, b []float64) (u, ties float64) {
	type observation struct {
		value float64
		ofA   bool
	}
	all := make([]observation, 0, len(a)+len(b))
	for _, x := range a {
		all = append(all, observation{x, true})
	}
	for _, x := range b {
		all = append(all, observation{x, false})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].value < all[j].value })
	rankSum := 0.0
	for start := 0; start < len(all); {
		end, ofA := start, 0
		for end < len(all) && all[end].value == all[start].value {
			if all[end].ofA {
				ofA++
			}
			end++
		}
		rankSum += float64(ofA) * float64(start+1+end) / 2 // the mean of the ranks start+1 … end
		t := float64(end - start)
		ties += t*t*t - t
		start = end
	}
	n := float64(len(a))
	return rankSum - n*(n+1)/2, ties
}

// exactMannWhitney is twice the smaller tail of U over all arrangements of n and m values, at most 1.
func exactMannWhitney(u, n, m int) float64 {
	// The chances of U's values satisfy P(n, m, u) = n/(n+m)·P(n−1, m, u−m) + m/(n+m)·P(n, m−1, u).
	previous := make([][]float64, m+1) // previous[j] is the distribution for (i−1, j)
	for j := range previous {
		previous[j] = []float64{1}
	}
	for i := 1; i <= n; i++ {
		current := make([][]float64, m+1)
		current[0] = []float64{1}
		for j := 1; j <= m; j++ {
			chances := make([]float64, i*j+1)
			shareA := float64(i) / float64(i+j)
			for v, chance := range previous[j] {
				chances[v+j] += shareA * chance
			}
			for v, chance := range current[j-1] {
				chances[v] += (1 - shareA) * chance
			}
			current[j] = chances
		}
		previous = current
	}
	lower := min(u, n*m-u)
	tail := 0.0
	for v := 0; v <= lower; v++ {
		tail += previous[m][v]
	}
	return min(1, 2*tail)
}

// Median is the middle value with the interval between two order statistics that covers at least as often as it says,
// whatever the distribution (Conover 1999, §3.2). The standard error is undefined, and so is the interval where there are
// too few values to bound a median with this confidence: fewer than 6 for 95 %. Undefined without values.
func Median(values []float64, confidence float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	estimate := Estimate{Value: Of((sorted[(n-1)/2] + sorted[n/2]) / 2)}
	// The largest r with P(Bin(n, ½) < r) ≤ α/2: the interval is from the r-th smallest to the r-th largest.
	r := sort.Search(n/2+1, func(r int) bool { return 1-BinomialTail(r+1, n, 0.5).value > (1-confidence)/2 })
	if r == 0 {
		estimate.Warnings = []string{"too few values for an interval of the median"}
		return estimate
	}
	estimate.Interval = between(sorted[r-1], sorted[n-r], math.Inf(-1), math.Inf(1), confidence, "order statistics")
	return estimate
}

// Quantile is the q-quantile (0 ≤ q ≤ 1) of values by linear interpolation between order statistics (Hyndman and Fan
// 1996, type 7). Undefined without values.
func Quantile(values []float64, q float64) Number {
	if len(values) == 0 {
		return Undefined
	}
	sorted := slices.Sorted(slices.Values(values))
	return Of(quantileSorted(sorted, q))
}

func quantileSorted(sorted []float64, q float64) float64 {
	position := q * float64(len(sorted)-1)
	below := int(position)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (position-float64(below))*(sorted[above]-sorted[below])
}
