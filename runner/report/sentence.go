package report

import (
	"fmt"
	"strings"

	"proctor/runner/words"
)

// sentence is the headline and the verdict, in a sentence.
func (d drawn) sentence() string {
	name := d.headline(spelled(d.Headline.Name))
	if d.Circular != nil {
		name += " (every order right)"
	}
	if !strings.Contains(name, "_") { // which a benchmark's own names have
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	return fmt.Sprintf("%s %s: %s.", name, words.Percent(d.Headline.Value), d.judgement())
}

// judgement is whether the run beats guessing.
func (d drawn) judgement() string {
	switch {
	case d.Baseline.Better == nil:
		return "whether it beats guessing can't be told"
	case *d.Baseline.Better:
		return "better than guessing"
	case d.belowGuessing():
		return "worse than guessing"
	}
	return "not shown to be better than guessing"
}

// decides says what the verdict rests on and, where there is none, what it would take.
func (d drawn) decides() []string {
	interval, chance := d.judged()
	name := spelled(d.Headline.Name)
	if d.Circular != nil {
		name = "question mean"
	}
	first := fmt.Sprintf("%s of the %s %s, guessing %s", d.confidence(), name, words.Bounds(interval), words.Percent(chance))
	if d.Baseline.PValue.Defined() {
		first += "; tested against guessing, " + words.Probability(d.Baseline.PValue)
	}
	lines := []string{first + "."}
	if d.Baseline.Better != nil && !*d.Baseline.Better && !d.belowGuessing() {
		would := d.wouldShow()
		lines = append(lines, strings.ToUpper(would[:1])+would[1:]+".")
	}
	return lines
}
