package pairs

import (
	"fmt"
	"math"

	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// advise completes a pair that is not decided. The questions are fresh ones: who extends a draw and tests it again is wrong twice as
// often. A number that is not above what was asked is no advice, and beside a model that guesses none shows a loss.
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
	p.Advice = fmt.Sprintf("about %s would decide it, %s", format.Several(p.ToDecide, "fresh question"), ifs)
	if set := setOf(&a.Marked.Header); set > 0 && needed > set-p.Questions {
		p.Advice += "; that is more than this set has"
	}
}

// atChance says of a model that is not shown to be better than guessing why no loss is advised about.
const atChance = " is not shown to be better than guessing: the baseline is at chance, so no loss can be measured"

// needed is how many questions decide, and what that rests on.
func (p *Pair) needed(o Options) (questions int, ifs string) {
	if p.Decision == Identical {
		return stats.QuestionsToRuleOut(o.Margin, o.Confidence), "enough if they agree on all of them"
	}
	if smallest := p.SmallestDetectable.Or(0); smallest > o.Margin {
		// The smallest detectable difference falls with the root of the number of questions.
		ratio := smallest / o.Margin
		return int(float64(p.Questions)*(ratio*ratio-1)) + 1 + p.Questions, "enough (80 % power) if they are equally good"
	}
	d, half := p.Difference.Or(0), (p.CI.High-p.CI.Low)/2
	ratio := half / max(-d, d+o.Margin) // the distance from the difference to where one of the decisions begins
	return max(p.Questions+1, int(math.Ceil(float64(p.Questions)*ratio*ratio))), "enough if the difference stays the same"
}

// setOf is how many questions there are to ask: of the subjects that were chosen, if any; 0 where the journal does not say.
func setOf(h *journal.Header) int {
	switch {
	case h.Selection.Limit == 0:
		return h.Selection.Questions
	case len(h.Selection.Subjects) > 0:
		return 0
	}
	return h.Dataset.Rows
}
