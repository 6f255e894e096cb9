package stats

import (
	"cmp"
	"slices"
)

// Holm adjusts p-values so that comparing each with α keeps the chance of any false alarm below α: in ascending
// order p₍ᵢ₎ becomes max over j ≤ i of min(1, (m−j+1)·p₍ⱼ₎). Undefined p-values stay undefined and are not counted
// in m. Source: Holm 1979, Scand. J. Statist. 6:65.
func Holm(ps []Number) []Number {
	adjusted, order := sortedDefined(ps)
	worst := Of(0)
	for rank, i := range order {
		worst = Of(max(worst.value, atMostOne(ps[i].Times(float64(len(order)-rank))).value))
		adjusted[i] = worst
	}
	return adjusted
}

// Bonferroni adjusts p-values so that comparing each with α is comparing p with α/m, as intervals of confidence 1 − α/m do:
// min(1, m·p). Undefined p-values stay undefined and are not counted in m. Source: Dunn 1961, JASA 56:52.
func Bonferroni(ps []Number) []Number {
	adjusted, order := sortedDefined(ps)
	for _, i := range order {
		adjusted[i] = atMostOne(ps[i].Times(float64(len(order))))
	}
	return adjusted
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
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a].value, ps[b].value) })
	return make([]Number, len(ps)), order
}
