package stats

// FewestPairs is the smallest number of questions on which two runs are compared: with fewer, differences are only counted.
const FewestPairs = 10

// Pairs counts the results of two runs, A and B, on the same questions. A question with several items is right when all of them are.
type Pairs struct {
	Both    int `json:"both"` // right in A and in B
	OnlyA   int `json:"only_a"`
	OnlyB   int `json:"only_b"`
	Neither int `json:"neither"`
}

// Add counts a question that is right or wrong in A and in B.
func (p *Pairs) Add(a, b bool) {
	switch {
	case a && b:
		p.Both++
	case a:
		p.OnlyA++
	case b:
		p.OnlyB++
	default:
		p.Neither++
	}
}

// Total is the number of questions.
func (p Pairs) Total() int { return p.Both + p.OnlyA + p.OnlyB + p.Neither }

// Discordant is the number of questions that one run got right and the other wrong.
func (p Pairs) Discordant() int { return p.OnlyA + p.OnlyB }

// McNemar is the two-sided p-value of "A and B are right equally often", exact from the binomial distribution of
// the discordant questions: 2·P(X ≤ min(b, c)), X ~ Binomial(b+c, ½), at most 1. Without discordant questions it is 1;
// for fewer than [FewestPairs] it is undefined. Source: McNemar 1947, Psychometrika 12:153.
func (p Pairs) McNemar() Number {
	if p.Total() < FewestPairs {
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
