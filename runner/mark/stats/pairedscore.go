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
//	z(δ) = (|d̂ − δ| − w̄/5)/√((2·p̃ + |δ| − δ²)/n(δ)), with the sign of d̂ − δ, and 0 where that is below 0
//
// where d̂ is Σ W_h·(c_h − b_h)/n_h, with b and c the questions right in A alone and in B alone, and p̃ the likeliest share of
// the rarer of them where the difference is δ. The interval holds every δ whose p is not below 1 − confidence, and a loss is
// ruled out where the interval is above it: interval, p and verdict cannot contradict one another. Source: Tango 1998, Statist.
// Med. 17:891, which this is where there is one stratum, but for the correction for continuity: a fifth of the question that
// counts most, w̄ being the largest weight w = W_h/n_h of one.
//
// Of several strata the shares of b and c are weighted sums, and n(δ) is the effective number of questions,
// (Σ w·v + u)/(Σ w²·v + w̄·u), with v = n_h·s²_h the unbiased variance of the subject's differences times its questions, and u =
// 3/2·|d̂ − δ|: were δ true, what d̂ lacks, and half as much again, could have come out differently where questions count most.
// With one stratum that is n; without a difference it is 1/w̄, as many questions as rule a loss out wherever it lies.
//
// A true loss of the margin is ruled out wrongly 2.5 % of the time at most: worked out exactly with one stratum (14 to 1,400
// questions, 1 to 30 % flips: 2.46 %), and simulated with 1 to 14 (28 to 1,400 questions, 1 to 20 % flips, losses and gains in
// all, the largest or the smallest subjects: 10,000 draws of each of 1,878 worlds, and 200,000 of those above 2.5 %, of which
// none has more then). Equal runs are called different 4.9 % of the time, and the interval lacks the truth 5.4 %, at the most.
// Without half as much again that was 2.6 % where losses are in a large subject and gains in a small one. Beside Tango's test
// with a constant n, which rules out 2.9 % with one stratum and 3.8 % with several, all that costs 1 point of power with one
// stratum (78 becomes 77 %), and 3 to 13 points where 14 subjects count differently and 350 to 1,400 questions are asked.
type PairedScore struct {
	RightA, RightB Number  // accuracies
	Effective      float64 // questions that would tell as much without weights, at the difference that was found
	onlyA, onlyB   float64 // shares
	own, squared   float64 // Σ w·v and Σ w²·v
	largest        float64 // weight of a question
	questions      int
}

// continuity is the share of the question that counts most by which a difference is taken to be smaller: half of what a
// question counts, as usual, would be twice too careful.
const continuity = 0.2

// Score is the comparison of strata; those without questions are left out. Undefined without questions.
func Score(strata []PairedStratum) PairedScore {
	total := 0.0
	for _, s := range strata {
		if s.Total() > 0 {
			total += s.Weight
		}
	}
	var p PairedScore
	rightA, rightB := 0.0, 0.0
	for _, s := range strata {
		n := float64(s.Total())
		if n == 0 {
			continue
		}
		w := s.Weight / total / n
		p.questions += s.Total()
		p.largest = max(p.largest, w)
		p.onlyA += w * float64(s.OnlyA)
		p.onlyB += w * float64(s.OnlyB)
		rightA += w * float64(s.Both+s.OnlyA)
		rightB += w * float64(s.Both+s.OnlyB)
		varied := float64(s.Discordant())
		if n > 1 {
			gap := float64(s.OnlyB - s.OnlyA)
			varied = (varied - gap*gap/n) * n / (n - 1)
		}
		p.own, p.squared = p.own+w*varied, p.squared+w*w*varied
	}
	if p.largest == 0 {
		return PairedScore{}
	}
	p.RightA, p.RightB = Of(min(1, rightA)), Of(min(1, rightB))
	p.Effective = p.effective(0)
	return p
}

// Score is that of questions that count alike.
func (p Pairs) Score() PairedScore { return Score([]PairedStratum{{p, 1}}) }

// Of is the same comparison of as many times the questions.
func (p PairedScore) Of(times float64) PairedScore {
	p.squared, p.largest = p.squared/times, p.largest/times
	p.Effective = p.effective(0)
	return p
}

// unseen is how many times what a difference lacks could have come out differently where questions count most.
const unseen = 1.5

// effective is how many questions would tell as much without weights, where the true difference lies far from what was found.
func (p PairedScore) effective(far float64) float64 {
	far *= unseen
	if p.own+far < 1e-15 {
		return 1 / p.largest
	}
	return (p.own + far) / (p.squared + far*p.largest)
}

// gap is accuracy(B) − accuracy(A).
func (p PairedScore) gap() float64 { return p.onlyB - p.onlyA }

// z is how many standard errors the difference lies above null.
func (p PairedScore) z(null float64) float64 {
	far := math.Abs(p.gap() - null)
	beyond := far - continuity*p.largest
	if beyond <= 1e-15 {
		return 0
	}
	return math.Copysign(beyond/math.Sqrt(p.variance(null)/p.effective(far)), p.gap()-null)
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
// themselves, and the interval of all differences that [PairedScore.P] does not rule out, undefined where those are nearly all. Undefined
// without questions.
func (p PairedScore) Difference(confidence float64) Estimate {
	if p.Effective == 0 {
		return Estimate{}
	}
	e := Estimate{Value: Of(p.gap())}
	if variance := p.onlyA + p.onlyB - p.gap()*p.gap(); variance > roundingVariance {
		e.SE = Of(math.Sqrt(variance / p.Effective))
	}
	e.Interval = inverted(func(times float64) func(null float64) float64 { return p.Of(times).z }, p.gap(), p.questions, confidence,
		"tango score, continuity")
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
// below 1): (loss − 1/5n)² is then above z²/n·loss·(1 − loss), which takes 420 for one point at 95 %. weight is how many
// questions tell as much as one that is not weighted.
func QuestionsToRuleOut(loss, confidence, weight float64) int {
	spread := normalQuantile(confidence) * math.Sqrt(loss*(1-loss))
	root := (spread + math.Sqrt(spread*spread+4*continuity*loss)) / 2 / loss
	return int(math.Floor(root*root*weight)) + 1
}
