package report

import (
	"fmt"
	"strings"

	"proctor/runner/mark/format"
)

// sentence is the headline and the verdict, in a sentence.
func (d document) sentence() string {
	name := spelled(d.Headline.Name) + d.part()
	if d.Circular != nil {
		name += " (" + d.everyOrder() + " right)"
	}
	if !strings.Contains(name, "_") { // which a benchmark's own names have
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	judgement := d.judgement()
	if d.Circular != nil {
		judgement += ", judged by the question mean"
	}
	return fmt.Sprintf("%s %s: %s.", name, format.Percent(d.Headline.Value), judgement)
}

// decides says what the verdict rests on and, where there is none, what it would take.
func (d document) decides() []string {
	interval, chance := d.judged()
	name := spelled(d.Headline.Name)
	if d.Circular != nil {
		name = "question mean"
	}
	first := fmt.Sprintf("%s of the %s %s, guessing %s", d.confidence(), name, format.Bounds(interval), format.Percent(chance))
	if d.Baseline.PValue.Defined() {
		first += "; tested against guessing, " + format.Probability(d.Baseline.PValue)
	}
	lines := []string{first + "."}
	if d.open() {
		would := d.wouldShow()
		lines = append(lines, strings.ToUpper(would[:1])+would[1:]+".")
	}
	return lines
}
