package adaptive

import "proctor/runner/mark/stats"

// A Quality is what doubt was worth.
type Quality struct {
	// AUC is the chance that a question that flips was doubted more than one that does not: 0.5 of doubt that says nothing.
	AUC stats.Number
	// Uniform is how many questions drawn uniformly would have told the difference over the set as exactly.
	Uniform stats.Number
}

// QualityOf estimates that from how many questions of each stratum are known, and flip. Undefined where nothing flips, or a stratum
// has none.
func QualityOf(strata []Stratum, known, flips []int) (q Quality) {
	all := 0.0
	for h := range strata {
		if known[h] == 0 {
			return q
		}
		all += float64(strata[h].Questions)
	}
	flipping, mean, variance, pairs := 0.0, 0.0, 0.0, 0.0
	for h := range strata {
		share, part, n := float64(flips[h])/float64(known[h]), float64(strata[h].Questions)/all, float64(known[h])
		flipping += part * share
		mean += part * share * strata[h].flip()
		variance += part * part * share * (1 - share) / n * (1 - n/float64(strata[h].Questions))
		for k := range strata {
			rest := float64(strata[k].Questions) / all * (1 - float64(flips[k])/float64(known[k]))
			switch {
			case strata[h].Doubt > strata[k].Doubt:
				pairs += part * share * rest
			case strata[h].Doubt == strata[k].Doubt:
				pairs += part * share * rest / 2
			}
		}
	}
	if flipping == 0 || flipping == 1 || variance == 0 {
		return q
	}
	one := flipping - mean*mean // variance of one question drawn uniformly
	q.AUC, q.Uniform = stats.Of(pairs/flipping/(1-flipping)), stats.Of(one/(variance+one/all))
	return q
}
