package pairs

import (
	"fmt"
	"math"

	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// advise adds to an undecided pair how many questions would decide it. They are to be new ones: extending a draw and testing it again
// doubles the error rate. A number that is not above the present one would be no advice, and a baseline that guesses can't show a
// loss.
func (p *Pair) advise(a *Run, o Options) {
	open := p.Decision == Undecided || p.Decision == Identical && !p.ShownNotWorse()
	if p.CI.IsZero() || !open {
		return
	}
	if !a.BeatsGuessing() {
		p.Advice = p.A + atChance
		return
	}
	needed, ifs := p.needed(o)
	if needed <= p.Questions {
		return
	}
	p.ToDecide = format.Upwards(needed)
	p.Advice = fmt.Sprintf("about %s would decide it%s", format.Fresh(p.ToDecide), ifs)
	if set := setOf(&a.Marked.Header); set > 0 && needed > set-p.Questions {
		p.Advice += "; that is " + format.MoreThanThereAre
	}
}

// atChance says why no number of questions is advised for a model that is not shown to beat guessing.
const atChance = " is not shown to be better than guessing: the baseline is at chance, so no loss can be measured"

// needed is the number of questions that would decide, with its assumptions; 0 where no possible number does.
func (p *Pair) needed(o Options) (questions int, ifs string) {
	if p.Decision == Identical {
		return stats.QuestionsToRuleOut(o.Margin, o.Confidence), ", if they agree on all of them"
	}
	apart, ifs := o.Margin, " at 80 % power, if they are equally good"
	if p.Below() {
		apart, ifs = math.Abs(p.Difference.Or(0)+o.Margin), " at 80 % power, if the difference stays the same"
	}
	ratio := p.SmallestDetectable.Or(0) / apart // which falls with the root of the number of questions
	if n := float64(p.Questions) * ratio * ratio; n < stats.MostQuestions {
		questions = int(math.Ceil(n))
	}
	return questions, ifs
}

// setOf is the number of available questions: those of the chosen subjects, if any; 0 where the journal does not have it.
func setOf(h *journal.Header) int {
	switch {
	case h.Selection.Limit == 0:
		return h.Selection.Questions
	case len(h.Selection.Subjects) > 0:
		return 0
	}
	return h.Dataset.Rows
}

// BeatsGuessing says whether the run's interval is above the score of guessing.
func (r *Run) BeatsGuessing() bool {
	return !r.Headline.CI.IsZero() && r.Headline.CI.Low > r.Headline.Baseline.Or(0)
}
