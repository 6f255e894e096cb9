package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/combin"
)

// PassAtK is the chance that at least one of k completions, drawn from n of which c are right, is right:
// 1 − C(n−c, k)/C(n, k), unbiased for 1 − (1−p)^k. Undefined unless 0 < k ≤ n and 0 ≤ c ≤ n.
// Source: Chen et al. 2021, arXiv 2107.03374, eq. 1.
func PassAtK(n, c, k int) Number {
	misses, defined := PassAllK(n, n-c, k).Get()
	if !defined {
		return Undefined
	}
	return Of(1 - misses)
}

// PassAllK is the chance that all of k completions, drawn from n of which c are right, are right (pass^k): C(c, k)/C(n, k),
// unbiased for p^k. Undefined unless 0 < k ≤ n and 0 ≤ c ≤ n. Source: Yao et al. 2024, arXiv 2406.12045, §4.
func PassAllK(n, c, k int) Number {
	if k <= 0 || k > n || c < 0 || c > n {
		return Undefined
	}
	all := 1.0
	for i := range k {
		all *= float64(max(0, c-i)) / float64(n-i)
	}
	return Of(all)
}

// VoteAtK is the chance that, of k answers drawn from those given, gold ones are more than those of any other letter. gold and
// rivals count the answers with the gold letter and with each other one, none those without a letter, which are no vote.
// Without replacement, as in [PassAtK]: Σ_g C(gold, g)·(ways in which the other k − g answers leave every rival below g)/C(n, k).
// Undefined unless 0 < k ≤ n.
func VoteAtK(gold int, rivals []int, none, k int) Number {
	n := gold + none
	for _, r := range rivals {
		n += r
	}
	if k <= 0 || k > n {
		return Undefined
	}
	total := 0.0
	for g := 1; g <= min(gold, k); g++ {
		// ways[v] is of v answers drawn from those so far, in units of C(answers so far, v): the chance of a draw that keeps below g.
		ways, drawn := []float64{1}, 0
		for _, r := range rivals {
			ways, drawn = together(ways, drawn, r, g-1), drawn+r
		}
		ways, drawn = together(ways, drawn, none, none), drawn+none
		if k-g < len(ways) {
			total += hypergeometric(g, gold, drawn, k) * ways[k-g]
		}
	}
	return Of(total)
}

// together adds more answers, of which at most a number may be drawn, to those drawn from before.
func together(ways []float64, before, more, most int) []float64 {
	joined := make([]float64, before+more+1)
	for v := range joined {
		for m := max(0, v-before); m <= min(most, more, v); m++ {
			joined[v] += hypergeometric(m, more, before, v) * ways[v-m]
		}
	}
	return joined
}

// hypergeometric is the chance of x of the marked among k drawn from marked and others, which must have as many.
func hypergeometric(x, marked, others, k int) float64 {
	return math.Exp(lnChoose(marked, x) + lnChoose(others, k-x) - lnChoose(marked+others, k))
}

func lnChoose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }

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

// Repeated is what repeats of the same questions tell.
type Repeated struct {
	Mean    Estimate // over questions of the mean over a question's repeats
	Within  Number   // variance of one answer's verdict around its question's chance
	Between Number   // variance of the questions' chances
}

// Repeats splits the variance of verdicts. Each question is a count of right answers among its repeats; the mean is
// over questions first, so its error is between questions (Miller 2024, §3.2). Within is the mean of p̂(1−p̂)·k/(k−1) over the
// questions with k ≥ 2 repeats, Between is the variance of the p̂ less what Within explains of it (the mean of
// within/k), not below 0: the one-way analysis of variance with random effects. Questions without repeats are left out.
func Repeats(questions []Cluster, confidence float64) Repeated {
	means := make([]float64, 0, len(questions))
	within, repeated, noise := 0.0, 0, 0.0
	for _, q := range questions {
		if q.Items == 0 {
			continue
		}
		k := float64(q.Items)
		p := float64(q.Successes) / k
		means = append(means, p)
		if q.Items >= 2 {
			variance := p * (1 - p) * k / (k - 1)
			within, repeated, noise = within+variance, repeated+1, noise+variance/k
		}
	}
	result := Repeated{Mean: Mean(means, confidence)}
	if repeated == 0 {
		return result
	}
	result.Within = Of(within / float64(repeated))
	if len(means) >= 2 {
		_, total := moments(means)
		result.Between = Of(math.Max(0, total-noise/float64(repeated)))
	}
	return result
}
