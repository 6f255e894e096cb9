package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Pairs counts what two runs, A and B, made of the same questions. One with several items is right when all of them are.
type Pairs struct {
	Both    int `json:"both"` // right in A and in B
	OnlyA   int `json:"only_a"`
	OnlyB   int `json:"only_b"`
	Neither int `json:"neither"`
}

// Total is the number of questions.
func (p Pairs) Total() int { return p.Both + p.OnlyA + p.OnlyB + p.Neither }

// Discordant is the number of questions that one run got right and the other wrong.
func (p Pairs) Discordant() int { return p.OnlyA + p.OnlyB }

// Difference is accuracy(B) − accuracy(A) with Newcombe's interval for paired proportions: Wilson's bounds of the two
// accuracies joined by square-and-add, with their correlation φ,
//
//	d − √((p_B−l_B)² − 2φ(p_B−l_B)(u_A−p_A) + (u_A−p_A)²) … d + √((u_B−p_B)² − 2φ(u_B−p_B)(p_A−l_A) + (p_A−l_A)²)
//
// where φ's numerator both·neither − onlyA·onlyB is lowered by n/2, but not below 0, when it is positive.
// SE is √((b+c) − (c−b)²/n)/n. Source: Newcombe 1998, Statist. Med. 17:2635, method 10. Undefined without questions.
func (p Pairs) Difference(confidence float64) Estimate {
	n := p.Total()
	if n == 0 {
		return Estimate{}
	}
	total := float64(n)
	rightA, rightB := p.Both+p.OnlyA, p.Both+p.OnlyB
	shareA, shareB := float64(rightA)/total, float64(rightB)/total
	a, b := Wilson(rightA, n, confidence), Wilson(rightB, n, confidence)
	phi := correlation(p.Both, p.OnlyA, p.OnlyB, p.Neither, total/2).Or(0)
	gap := float64(p.OnlyB-p.OnlyA) / total
	down := squareAndAdd(shareB-b.Low, a.High-shareA, phi)
	up := squareAndAdd(b.High-shareB, shareA-a.Low, phi)
	return Estimate{
		Value:    Of(gap),
		SE:       Of(math.Sqrt(float64(p.Discordant())-gap*gap*total) / total),
		Interval: between(gap-down, gap+up, -1, 1, confidence, "newcombe 10"),
	}
}

// Agreement is the interval of the difference between two runs that agree on every one of so many questions: no more of all
// questions can tell them apart than the upper bound of a share that none of the questions has, 1 − (α/2)^(1/n). Source:
// Clopper and Pearson 1934, Biometrika 26:404. Newcombe's interval, made for tables with flips, is too narrow there.
func Agreement(questions int, confidence float64) Interval {
	most := -math.Expm1(math.Log((1-confidence)/2) / float64(questions))
	return between(-most, most, -1, 1, confidence, "clopper-pearson, no flips")
}

// QuestionsToRuleOut is the fewest questions on which two runs have to agree for [Agreement] to rule out a loss (a share
// above 0 and below 1): 368 for one point at 95 %.
func QuestionsToRuleOut(loss, confidence float64) int {
	return int(math.Ceil(math.Log((1-confidence)/2) / math.Log1p(-loss)))
}

// squareAndAdd joins two distances of estimates whose correlation is phi.
func squareAndAdd(x, y, phi float64) float64 {
	return math.Sqrt(max(0, x*x-2*phi*x*y+y*y))
}

// correlation is φ of a table of counts, (both·neither − onlyA·onlyB)/√(product of the four margins), undefined where a
// margin is empty. Where the numerator is positive it is lowered, but not below 0.
func correlation(both, onlyA, onlyB, neither int, lowered float64) Number {
	b, a, c, n := float64(both), float64(onlyA), float64(onlyB), float64(neither)
	covariance := b*n - a*c
	if covariance > 0 {
		covariance = max(0, covariance-lowered)
	}
	return Of(covariance / math.Sqrt((b+a)*(b+c)*(n+a)*(n+c)))
}

// McNemar is the two-sided p-value of "A and B are right equally often", exact from the binomial distribution of
// the discordant questions: 2·P(X ≤ min(b, c)), X ~ Binomial(b+c, ½), at most 1. Without discordant questions it is 1;
// without questions it is undefined. Source: McNemar 1947, Psychometrika 12:153.
func (p Pairs) McNemar() Number {
	if p.Total() == 0 {
		return Undefined
	}
	discordant := p.Discordant()
	if discordant == 0 || p.OnlyA == p.OnlyB {
		return Of(1)
	}
	fewer := min(p.OnlyA, p.OnlyB)
	// P(X ≤ k) = I_½(n−k, k+1)
	return atMostOne(regIncBeta(float64(discordant-fewer), float64(fewer+1), 0.5).Times(2))
}

// McNemarMidP is [Pairs.McNemar] less the probability of the table itself (half of it where b = c): less cautious,
// its size stays close to the nominal one. Source: Fagerland, Lydersen and Laake 2013, BMC Med. Res. Methodol. 13:91.
func (p Pairs) McNemarMidP() Number {
	exact := p.McNemar()
	if !exact.Defined() || p.Discordant() == 0 {
		return exact
	}
	itself := distuv.Binomial{N: float64(p.Discordant()), P: 0.5}.LogProb(float64(p.OnlyA))
	if p.OnlyA == p.OnlyB {
		itself -= math.Ln2
	}
	// The table is half of what the exact p doubles, or less, so that the difference of the logarithms is never 0.
	return Probability(exact.log() + math.Log1p(-math.Exp(itself-exact.log())))
}

// SmallestDetectable is the difference that a comparison like this one would find with the given power,
// (z_{1−α/2} + z_power)·√(flips/n): 2.80·√(flips/n) for 95 % and 80 %. Undefined without discordant questions, for the
// share of them is then unknown, not 0. Source: Miller 2024, §5, with the variance of a paired difference.
func (p Pairs) SmallestDetectable(confidence, power float64) Number {
	if p.Discordant() == 0 {
		return Undefined
	}
	return Detectable(math.Sqrt(float64(p.Discordant()))/float64(p.Total()), confidence, power)
}
