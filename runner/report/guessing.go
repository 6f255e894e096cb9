package report

import (
	"fmt"
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// verdict says whether the run beats guessing, and how many questions would show it.
func (r document) verdict() string {
	text := r.judgement()
	if !r.Validity.Valid {
		return text
	}
	text += r.probability()
	if would := r.wouldShow(); r.open() && would != "" {
		text += "; " + would
	}
	return text
}

// judgement says whether the run beats guessing.
func (r document) judgement() string {
	switch {
	case !r.Validity.Valid:
		return "no verdict against guessing: not a valid score"
	case r.Baseline.Better == nil:
		return "no verdict against guessing"
	case *r.Baseline.Better:
		return "better than guessing"
	case r.open():
		return "not shown to be better than guessing"
	}
	return "worse than guessing"
}

// open says whether the run's score is shown neither to be above guessing nor below it.
func (r document) open() bool {
	interval, chance := r.judged()
	return r.Baseline.Better != nil && !*r.Baseline.Better && (interval.IsZero() || interval.High >= chance.Or(0))
}

// probability is the p of the verdict, in brackets; empty for an interval that holds at every stop, which has none.
func (r document) probability() string {
	if !r.Baseline.PValue.Defined() {
		return ""
	}
	return " (" + format.Probability(r.Baseline.PValue) + ", two-sided)"
}

// judged is the figure's interval that is compared with guessing.
func (r document) judged() (interval stats.Interval, chance stats.Number) {
	if c := r.Circular; c != nil {
		return c.QuestionMeanCI, c.QuestionMeanGuess
	}
	return r.Headline.CI, r.Headline.Baseline
}

// wouldShow says how many questions would show that the run beats guessing; empty if the run asked that many.
func (r document) wouldShow() string {
	switch {
	case r.Baseline.Needed == 0 || r.Baseline.Needed >= stats.MostQuestions:
		return "at this score no number of questions that can be asked would show it"
	case r.Baseline.Needed <= r.Questions:
		return ""
	}
	needed := format.Upwards(r.Baseline.Needed)
	text := fmt.Sprintf("at this score about %s would show it (80 %% power", format.Fresh(needed))
	if !r.reachable(needed) {
		return text + "), which is " + format.MoreThanThereAre
	}
	if each, known := r.Speed.Cost.Seconds.Get(); known {
		text += ", " + format.Roughly(each*float64(needed))
	}
	return text + ")"
}

// reachable says whether the number is larger than the run's questions, and the set has that many left.
func (r document) reachable(needed int) bool {
	rows := r.Run.Dataset.Rows
	return needed > r.Questions && needed < stats.MostQuestions && (rows == 0 || needed+r.Questions <= rows)
}

// sentence joins the headline and the verdict in a sentence.
func (d document) sentence() string {
	name := spelled(d.Headline.Name) + d.part()
	if d.Circular != nil {
		name += " (" + d.everyOrder() + " right)"
	}
	if !strings.Contains(name, "_") { // a name in a benchmark's own spelling stays as it is
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	judgement := d.judgement()
	if d.Circular != nil {
		judgement += ", judged by the question mean"
	}
	return fmt.Sprintf("%s %s: %s.", name, format.Percent(d.Headline.Value), judgement)
}

// decides says what the verdict rests on and, if it is open, what would decide it.
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
	if would := d.wouldShow(); d.open() && would != "" {
		lines = append(lines, strings.ToUpper(would[:1])+would[1:]+".")
	}
	return lines
}
