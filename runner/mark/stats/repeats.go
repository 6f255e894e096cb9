package stats

// Unlike is the share of pairs of repeats whose answers differ, given the count of each answer: 1 − Σ c(c−1)/(n(n−1)) with n = Σ c. It
// is the expected share in which two more runs of the same model differ. Undefined for fewer than two repeats. Source: Fleiss 1971,
// Psychol. Bull. 76:378, one minus the agreement of a subject's raters.
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
