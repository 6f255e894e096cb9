package stats

import "math"

// A PairedStratum is what two runs made of the questions of one subject, and how much that subject counts: its questions in the
// whole set. Where the questions are not weighted, all of them are one stratum.
type PairedStratum struct {
	Pairs
	Weight float64 // above 0
}

// A PairedScore compares two runs of the same questions by one statistic: the score test of "accuracy(B) − accuracy(A) is δ".
//
//	z(δ) = (d̂ − δ)/√((2·p̃ + |δ| − δ²)/n)
//
// where d̂ is Σ W_h·(c_h − b_h)/n_h, with b and c the questions right in A alone and in B alone, and p̃ the likeliest share of
// the rarer of them where the difference is δ. The interval holds every δ whose p is not below 1 − confidence, and a loss is
// ruled out where the interval is above it: interval, p and verdict cannot contradict one another. Source: Tango 1998, Statist.
// Med. 17:891, which this is where there is one stratum.
//
// Of several strata the shares of b and c are weighted sums, and n is the effective number of questions, (Σ w·v + 2w̄)/(Σ w²·v +
// 2w̄²), with w = W_h/n_h the weight of a question, v = n_h·s²_h the unbiased variance of the subject's differences times its
// questions, and w̄ the largest w: as if two more questions had come out differently, where they count most. With one stratum
// that is n; without a difference it is 1/w̄, as many questions as rule a loss out wherever it lies. Simulated with the sizes
// of MMLU-Pro, 1 to 100 questions a subject: a loss is ruled out wrongly 2.5 % of the time at most, where flips are as many in
// all subjects, in the largest or in the smallest alone. With one stratum, worked out exactly: 2.7 % at most from 70 questions on,
// 3.0 % of fewer; equal runs are told apart 5.4 % of the time at most. Where flips are few and losses alone, the interval
// covers 93 %.
type PairedScore struct {
	RightA, RightB Number  // accuracies
	Effective      float64 // questions that would tell as much without weights
	onlyA, onlyB   float64 // shares
}

// supposed is how many questions are taken to have come out differently beside those that did.
const supposed = 2

// Score is the comparison of strata; those without questions are left out. Undefined without questions.
func Score(strata []PairedStratum) PairedScore {
	total, largest := 0.0, 0.0
	for _, s := range strata {
		if s.Total() > 0 {
			total += s.Weight
		}
	}
	var p PairedScore
	rightA, rightB, own, squared := 0.0, 0.0, 0.0, 0.0
	for _, s := range strata {
		n := float64(s.Total())
		if n == 0 {
			continue
		}
		w := s.Weight / total / n
		largest = max(largest, w)
		p.onlyA += w * float64(s.OnlyA)
		p.onlyB += w * float64(s.OnlyB)
		rightA += w * float64(s.Both+s.OnlyA)
		rightB += w * float64(s.Both+s.OnlyB)
		varied := float64(s.Discordant())
		if n > 1 {
			gap := float64(s.OnlyB - s.OnlyA)
			varied = (varied - gap*gap/n) * n / (n - 1)
		}
		own, squared = own+w*varied, squared+w*w*varied
	}
	if largest == 0 {
		return PairedScore{}
	}
	p.RightA, p.RightB = Of(min(1, rightA)), Of(min(1, rightB))
	p.Effective = (own + supposed*largest) / (squared + supposed*largest*largest)
	return p
}

// Score is that of questions that count alike.
func (p Pairs) Score() PairedScore { return Score([]PairedStratum{{p, 1}}) }

// Of is the same comparison of as many effective questions.
func (p PairedScore) Of(effective float64) PairedScore {
	p.Effective = effective
	return p
}

// gap is accuracy(B) − accuracy(A).
func (p PairedScore) gap() float64 { return p.onlyB - p.onlyA }

// z is how many standard errors the difference lies above null.
func (p PairedScore) z(null float64) float64 {
	far := p.gap() - null
	if math.Abs(far) <= 1e-15 {
		return 0
	}
	return far / math.Sqrt(p.variance(null)/p.Effective)
}

// variance is that of a question's difference where its mean is null: 2·p̃ + |null| − null², with p̃ the root of
// 2p² − (r(1 − 3|null|) + q(1 − |null|) − 2(1 − r − q)|null|)·p − r·|null|(1 − |null|), where r is the share that is the rarer
// then.
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

// P is the two-sided p-value of "the difference is null". Undefined without questions.
func (p PairedScore) P(null float64) Number {
	if p.Effective == 0 {
		return Undefined
	}
	return atMostOne(normalTail(math.Abs(p.z(null))).Times(2))
}

// Difference is accuracy(B) − accuracy(A) with its standard error, undefined where the questions do not differ among
// themselves, and the interval of all differences that [PairedScore.P] does not rule out. Undefined without questions.
func (p PairedScore) Difference(confidence float64) Estimate {
	if p.Effective == 0 {
		return Estimate{}
	}
	e := Estimate{Value: Of(p.gap())}
	if variance := p.onlyA + p.onlyB - p.gap()*p.gap(); variance > roundingVariance {
		e.SE = Of(math.Sqrt(variance / p.Effective))
	}
	reach := normalQuantile(confidence)
	bound := func(end float64) float64 {
		inside, outside := p.gap(), end
		for range 100 {
			if middle := (inside + outside) / 2; math.Abs(p.z(middle)) <= reach {
				inside = middle
			} else {
				outside = middle
			}
		}
		return inside
	}
	e.Interval = between(bound(-1), bound(1), -1, 1, confidence, "tango score")
	return e
}

// SmallestDetectable is the difference that a comparison like this one would find with the given power,
// (z_{1−α/2} + z_power)·√(flips/n): 2.80·√(flips/n) for 95 % and 80 %. Undefined without discordant questions, for the
// share of them is then unknown, not 0. Source: Miller 2024, §5, with the variance of a paired difference.
func (p PairedScore) SmallestDetectable(confidence, power float64) Number {
	if p.Effective == 0 {
		return Undefined
	}
	return Detectable(math.Sqrt((p.onlyA+p.onlyB)/p.Effective), confidence, power)
}

// QuestionsToRuleOut is the fewest questions, none of which comes out differently, that rule out a loss (a share above 0 and
// below 1): z²/n·(1 − loss) is then below loss, which takes 381 for one point at 95 %. weight is how many questions tell as
// much as one that is not weighted.
func QuestionsToRuleOut(loss, confidence, weight float64) int {
	z := normalQuantile(confidence)
	return int(math.Floor(z*z*(1-loss)/loss*weight)) + 1
}
