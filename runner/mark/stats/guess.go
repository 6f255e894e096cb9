package stats

import "math"

// mostVotes is the largest number of votes that [VoteByChance] works out: its sums grow with the cube.
const mostVotes = 200

// VoteByChance is the chance that one given candidate of several gets more votes than any other, of so many votes that are
// each drawn evenly: Σ_g P(g votes for it)·P(none of the others has g or more). Undefined without candidates or votes, and
// above 200 votes.
func VoteByChance(candidates, votes int) Number {
	if candidates < 1 || votes < 1 || votes > mostVotes {
		return Undefined
	}
	total := 0.0
	for g := 1; g <= votes; g++ {
		total += BinomialChance(g, votes, 1/float64(candidates)) * allBelow(g, candidates-1, votes-g)
	}
	return Of(total)
}

// allBelow is the chance that none of so many candidates gets g votes or more of those that are drawn evenly among them, one
// candidate after the other: the j votes of the last are binomial, the rest falls on the others.
func allBelow(g, candidates, votes int) float64 {
	if votes > (g-1)*candidates {
		return 0
	}
	below := make([]float64, votes+1) // below[v]: of v votes among the candidates so far
	below[0] = 1
	for m := 1; m <= candidates; m++ {
		next := make([]float64, votes+1)
		for v := range next {
			for j := 0; j < g && j <= v; j++ {
				if below[v-j] > 0 {
					next[v] += BinomialChance(j, v, 1/float64(m)) * below[v-j]
				}
			}
		}
		below = next
	}
	return below[votes]
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
	return math.Exp(lnChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}
