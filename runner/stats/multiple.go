package stats

import "sort"

// Holm adjusts p-values so that comparing each with α keeps the chance of any false alarm below α: in ascending
// order p₍ᵢ₎ becomes max over j ≤ i of min(1, (m−j+1)·p₍ⱼ₎). Undefined p-values stay undefined and are not counted
// in m. Source: Holm 1979, Scand. J. Statist. 6:65.
func Holm(ps []Number) []Number {
	adjusted, order := sortedDefined(ps)
	worst := Of(0)
	for rank, i := range order {
		worst = later(worst, atMostOne(ps[i].Times(float64(len(order)-rank))))
		adjusted[i] = worst
	}
	return adjusted
}

// BenjaminiHochberg adjusts p-values so that comparing each with q keeps the expected share of false alarms among the
// alarms below q: in ascending order p₍ᵢ₎ becomes min over j ≥ i of min(1, m·p₍ⱼ₎/j). Undefined p-values stay
// undefined and are not counted in m. Source: Benjamini and Hochberg 1995, J. R. Statist. Soc. B 57:289.
func BenjaminiHochberg(ps []Number) []Number {
	adjusted, order := sortedDefined(ps)
	best := Of(1)
	for rank := len(order) - 1; rank >= 0; rank-- {
		i := order[rank]
		if p := ps[i].Times(float64(len(order)) / float64(rank+1)); p.log() < best.log() {
			best = p
		}
		adjusted[i] = best
	}
	return adjusted
}

// later is the larger of two p-values.
func later(p, q Number) Number {
	if q.log() > p.log() {
		return q
	}
	return p
}

func atMostOne(p Number) Number {
	if p.value > 1 {
		return Of(1)
	}
	return p
}

// sortedDefined returns room for the results and the indices of the defined p-values in ascending order of p.
func sortedDefined(ps []Number) (results []Number, order []int) {
	for i, p := range ps {
		if p.defined {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return ps[order[a]].log() < ps[order[b]].log() })
	return make([]Number, len(ps)), order
}
