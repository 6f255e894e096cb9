package recount

import (
	"math"
	"strings"
)

// direct fills in what is about the letters' probabilities.
func (r *plainRun) direct() {
	items := scoredOf(r.items)
	type sure struct{ gold, vocabulary, mass, brier, confidence, right float64 }
	of := map[*plainItem]sure{}
	for _, it := range items {
		var s sure
		for _, l := range it.Letters {
			s.mass += math.Exp(l)
		}
		gold := int(it.Gold[0] - 'A')
		for i, l := range it.Letters {
			p := math.Exp(l) / s.mass
			s.confidence = max(s.confidence, p)
			if i == gold {
				p -= 1
			}
			s.brier += p * p
		}
		s.vocabulary, s.gold = it.Letters[gold], it.Letters[gold]-math.Log(s.mass)
		if strings.TrimSpace(it.Text) == it.Gold {
			s.right = 1
		}
		of[it] = s
	}
	mean := func(name, ci string, floor float64, what func(*plainItem) float64) {
		r.linear("direct."+name, ".", "direct."+ci, ratios(items, what, countOf), ratio, floor, false)
	}
	lowest := math.Inf(-1)
	mean("gold_logprob", "gold_logprob_ci", lowest, func(it *plainItem) float64 { return of[it].gold })
	mean("gold_logprob_vocabulary", "gold_logprob_vocabulary_ci", lowest, func(it *plainItem) float64 { return of[it].vocabulary })
	mean("letter_mass", "letter_mass_ci", 0, func(it *plainItem) float64 { return of[it].mass })
	r.linear(".half", ".", ".half_ci", ratios(items, func(it *plainItem) float64 { return of[it].brier / 2 }, countOf), ratio, 0,
		false) // which is in [0, 1]
	r.put("direct.brier", 2*r.want[".half"])
	r.put("direct.brier_ci.low", 2*r.want[".half_ci.low"])
	r.put("direct.brier_ci.high", 2*r.want[".half_ci.high"])
	r.put("direct.brier_ci.confidence", 0.95)
	mean("overconfidence", "overconfidence_ci", -1, func(it *plainItem) float64 { return of[it].confidence - of[it].right })
	n := float64(len(items))
	r.put("direct.items", n)
	r.put("direct.mean_confidence", total(items, func(it *plainItem) float64 { return of[it].confidence })/n)
	r.put("direct.gold_logprob_baseline", total(items, func(it *plainItem) float64 { return -math.Log(float64(it.Options)) })/n)
	r.put("direct.brier_baseline", total(items, func(it *plainItem) float64 { return 1 - 1/float64(it.Options) })/n)
}
