package compare

import (
	"slices"

	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// probabilitySection shows the changes of the letters' probabilities.
func probabilitySection(p *pairs.Pair, c *pairs.Comparison) page.Section {
	s := page.Section{Title: "Probabilities of the letters", Below: true}
	all := p.Probabilities
	if all == nil {
		return s
	}
	s.Table = &page.Grid{Head: []string{"mean over questions", p.A, p.B, "change", intervalName(c), "p (t)", ""}}
	add := func(name string, shift pairs.Shift) {
		s.Table.Add(name, format.Plain(shift.ValueA), format.Plain(shift.ValueB), signed(shift.Difference),
			format.Ends(shift.CI, format.Undefined, " … ", signed),
			format.BareProbability(shift.PValue), mark(shift.PValue, c.Confidence))
	}
	add("log p(gold)", all.GoldLogprob)
	add("log p(gold), vocabulary", all.GoldVocabulary)
	add("Brier score", all.Brier)
	add("mass on the letters", all.LetterMass)
	s.Notes = []string{"log p(gold) is among the question's letters, natural logarithms; " +
		"of the Brier score less is better; " + insignificant + " not significant"}
	if !c.Runs[0].BeatsGuessing() && !runNamed(c, p.B).BeatsGuessing() {
		s.Warnings = []string{"neither run is shown to be better than guessing: log p(gold) then measures how sure the models are, " +
			"not what they know"}
	}
	return s
}

// signed is a difference with its sign and four decimals.
func signed(n stats.Number) string { return format.Signed(n, format.Plain(n)) }

// runNamed is the one with the name.
func runNamed(c *pairs.Comparison, name string) *pairs.Run {
	return &c.Runs[slices.IndexFunc(c.Runs, func(r pairs.Run) bool { return r.Name == name })]
}
