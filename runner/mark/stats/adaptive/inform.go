package adaptive

import "math"

// mixed is the share of a block that is dealt out to strata by their size alone: what is expected of the others may be wrong.
const mixed = 0.1

// First is the first block of a set, before anything is known.
func First(strata []Stratum, margin, alpha float64, questions int) []int {
	return New(strata, margin, alpha).Next(questions)
}

// Next is how many questions of each stratum the next so many should be, by what is known by now: those that tell most of the
// hypothesis that may be refused first, as things stand, be it that the model is worse by the margin or that it is not worse.
func (t *Test) Next(questions int) []int {
	parts := t.parts()
	notWorse, worse, _ := t.Evidence()
	best, fewest := parts, math.Inf(1)
	for _, side := range []struct {
		sign, null, capital, bar float64
	}{{+1, t.notWorse.rest(), notWorse, 1 / t.alpha}, {-1, t.worse.rest(), worse, 2 / t.alpha}} {
		distance := -side.null
		for h, part := range parts {
			distance += part * side.sign * t.strata[h].flip() * t.flips[h]
		}
		if distance < t.margin {
			if side.sign < 0 {
				continue // a loss smaller than the margin need not be shown
			}
			distance = t.margin
		}
		shares, information := t.informing(parts, side.sign, distance)
		if need := max(0.1, math.Log(side.bar)-math.Log(max(1e-9, side.capital))) / information; need < fewest {
			best, fewest = shares, need
		}
	}
	for h := range best {
		best[h] = (1-mixed)*best[h] + mixed*parts[h]
	}
	return t.deal(questions, best)
}

// parts are the strata's shares of what is left.
func (t *Test) parts() []float64 {
	parts, all := make([]float64, len(t.left)), 0.0
	for _, n := range t.left {
		all += float64(n)
	}
	for h, n := range t.left {
		parts[h] = float64(n) / max(1, all)
	}
	return parts
}

// informing are the shares of a block that tell most of a hypothesis whose mean is so far from what is expected, with what a question
// tells on average (Kullback and Leibler's information). The hypothesis can choose in which strata it hides; shares are best once that
// is all the same to it, so that each stratum's own least favourable share tells as much.
func (t *Test) informing(parts []float64, sign, distance float64) (shares []float64, information float64) {
	low, high := 1e-7, 3.0
	least := make([]float64, len(parts))
	for range 24 {
		information = math.Sqrt(low * high)
		sum := 0.0
		for h, part := range parts {
			if part > 0 {
				least[h] = apart(t.flips[h], information, sign*t.strata[h].flip() < 0)
				sum += part * math.Abs(least[h]-t.flips[h])
			}
		}
		if sum < distance {
			low = information
		} else {
			high = information
		}
	}
	shares = make([]float64, len(parts))
	all := 0.0
	for h, part := range parts {
		if part > 0 {
			shares[h] = part * least[h] * (1 - least[h]) / max(1e-12, math.Abs(least[h]-t.flips[h]))
			all += shares[h]
		}
	}
	for h := range shares {
		shares[h] /= all
	}
	return shares, information
}

// apart is the share above or below another one that a question tells from it by so much information.
func apart(share, information float64, above bool) float64 {
	low, high := share, 1-1e-9
	if !above {
		low, high = 1e-9, share
	}
	for range 30 {
		other := (low + high) / 2
		tells := share*math.Log(share/other) + (1-share)*math.Log((1-share)/(1-other))
		if (tells > information) == above {
			high = other
		} else {
			low = other
		}
	}
	return (low + high) / 2
}
