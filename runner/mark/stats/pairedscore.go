package stats

import "math"

// A PairedScore compares two runs of the same questions by one statistic: the score test of "accuracy(B) − accuracy(A) is δ".
//
//	z(δ) = (|d̂ − δ| − 1/5n)/√((2·p̃ + |δ| − δ²)/n), with the sign of d̂ − δ, and 0 where that is below 0
//
// where d̂ is (c − b)/n, with b and c the questions right in A alone and in B alone, and p̃ the likeliest share of the rarer of them
// where the difference is δ. The interval holds every δ whose p is not below 1 − confidence, and a loss is ruled out where the
// interval is above it: interval, p and verdict cannot contradict one another. Source: Tango 1998, Statist. Med. 17:891, which this is
// but for the correction for continuity, a fifth of a question.
//
// A true loss of the margin is ruled out wrongly 2.5 % of the time at most, worked out exactly (14 to 1,400 questions, 1 to 30 % flips:
// 2.46 %). Beside Tango's test without the correction, which rules out 2.9 %, that costs 1 point of power (78 becomes 77 %).
type PairedScore struct {
	RightA, RightB Number  // accuracies
	onlyA, onlyB   float64 // shares
	n              float64 // questions
}

// continuity is the share of a question by which a difference is reduced: the usual half of one would be twice too careful.
const continuity = 0.2

// Score is the comparison of the table's runs. Undefined without questions.
func (p Pairs) Score() PairedScore {
	n := float64(p.Total())
	if n == 0 {
		return PairedScore{}
	}
	return PairedScore{Of(float64(p.Both+p.OnlyA) / n), Of(float64(p.Both+p.OnlyB) / n), float64(p.OnlyA) / n, float64(p.OnlyB) / n, n}
}

// gap is accuracy(B) − accuracy(A).
func (p PairedScore) gap() float64 { return p.onlyB - p.onlyA }

// z is the difference's distance from null, in standard errors.
func (p PairedScore) z(null float64) float64 {
	beyond := math.Abs(p.gap()-null) - continuity/p.n
	if beyond <= 1e-15 {
		return 0
	}
	return math.Copysign(beyond/math.Sqrt(p.variance(null)/p.n), p.gap()-null)
}

// variance is that of a question's difference where its mean is null: 2·p̃ + |null| − null², with p̃ the root of 2p² − (r(1 − 3|null|)
// + q(1 − |null|) − 2(1 − r − q)|null|)·p − r·|null|(1 − |null|), where r is the share of the rarer kind of change then.
func (p PairedScore) variance(null float64) float64 {
	rarer, other := p.onlyA, p.onlyB
	if null < 0 {
		rarer, other, null = other, rarer, -null
	}
	linear := rarer*(1-3*null) + other*(1-null) - 2*(1-rarer-other)*null
	constant := 8 * rarer * null * (1 - null)
	root := math.Sqrt(linear*linear + constant)
	least := (linear + root) / 4
	if linear < 0 {
		least = constant / (root - linear) / 4 // the same without cancellation
	}
	return max(0, 2*least+null-null*null)
}

// P is the two-sided p-value of "the difference is null". Undefined for fewer than [FewestPairs].
func (p PairedScore) P(null float64) Number {
	if p.n < FewestPairs {
		return Undefined
	}
	return atMostOne(normalTail(math.Abs(p.z(null))).Times(2))
}

// Difference is accuracy(B) − accuracy(A) with its standard error, undefined where the questions do not differ among
// themselves, and the interval of all differences that [PairedScore.P] does not rule out. Undefined for fewer than [FewestPairs].
func (p PairedScore) Difference(confidence float64) Estimate {
	if p.n < FewestPairs {
		return Estimate{}
	}
	e := Estimate{Value: Of(p.gap()), Interval: inverted(p.z, p.gap(), confidence, "tango score, continuity")}
	if variance := p.onlyA + p.onlyB - p.gap()*p.gap(); variance > roundingVariance {
		e.SE = Of(math.Sqrt(variance / p.n))
	}
	return e
}

// SmallestDetectable is the difference that a comparison like this one would find with the given power,
// (z_{1−α/2} + z_power)·√(flips/n): 2.80·√(flips/n) for 95 % and 80 %. Undefined without discordant questions, for the
// share of them is then unknown, not 0. Source: Miller 2024, §5, with the variance of a paired difference.
func (p PairedScore) SmallestDetectable(confidence, power float64) Number {
	if p.n < FewestPairs {
		return Undefined
	}
	return Detectable(math.Sqrt((p.onlyA+p.onlyB)/p.n), confidence, power)
}

// QuestionsToRuleOut is the fewest questions, all without a difference, that rule out a loss (a share above 0 and below 1): (loss −
// 1/5n)² is then above z²/n·loss·(1 − loss), which takes 420 for one point at 95 %.
func QuestionsToRuleOut(loss, confidence float64) int {
	spread := normalQuantile(confidence) * math.Sqrt(loss*(1-loss))
	root := (spread + math.Sqrt(spread*spread+4*continuity*loss)) / 2 / loss
	return int(math.Floor(root*root)) + 1
}
