package report

import (
	"fmt"
	"math"
	"strings"

	"proctor/runner/stats"
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
	}
	return "not shown to be better than guessing"
}

// decides says what the verdict rests on and, where there is none, what it would take.
func (d drawn) decides() []string {
	value, interval, chance := d.judged()
	name := spelled(d.Headline.Name)
	if d.Circular != nil {
		name = "question mean"
	}
	first := fmt.Sprintf("%s of the %s %s, guessing %s", d.confidence(), name, words.Bounds(interval), words.Percent(chance))
	if d.Baseline.PValue.Defined() {
		first += "; tested against guessing, " + words.Probability(d.Baseline.PValue)
	}
	lines := []string{first + "."}
	if d.Baseline.Better != nil && !*d.Baseline.Better {
		lines = append(lines, undecided(value, interval, chance, d.Questions))
	}
	return lines
}

// judged is the figure that is held against guessing.
func (d drawn) judged() (value stats.Number, interval stats.Interval, chance stats.Number) {
	if c := d.Circular; c != nil {
		return c.QuestionMean, c.QuestionMeanCI, c.QuestionMeanGuess
	}
	return d.Headline.Value, d.Headline.CI, d.Headline.Baseline
}

// undecided says how many questions it takes for the interval to leave guessing out, if the score stays what it is: intervals
// narrow with the root of the number of questions.
func undecided(value stats.Number, interval stats.Interval, chance stats.Number, questions int) string {
	above, known := value.Minus(chance).Get()
	half, drawn := interval.HalfWidth().Get()
	switch {
	case !known || !drawn:
		return "Nothing can be said of how many questions would decide it."
	case above <= 0:
		return "The score is no higher than guessing, so more questions are not expected to show that it beats it."
	case above > half:
		return "The interval leaves guessing out on one side, the test does not: a few more questions should decide it."
	}
	need := float64(questions) * (half / above) * (half / above)
	unit := math.Pow(10, math.Floor(math.Log10(need))-1)
	rounded := words.Several(int(math.Ceil(need/unit)*unit), "question")
	return "About " + rounded + " would decide it, if the score stays where it is."
}
