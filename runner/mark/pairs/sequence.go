package pairs

import (
	"fmt"

	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// A sequence replaces a pair's interval where one of its runs stopped once its comparison was decided: the number of questions was not
// fixed beforehand, as an interval assumes.
type sequence struct {
	run      string   // that was to stop
	decision Decision // of B beside A, by the margin of the comparison
	below    bool     // B is shown to score less than A
	after    int      // questions; 0 where nothing was decided
	alpha    float64  // chance of a wrong decision, at most
	why      string   // nothing else is decided, in the middle of a sentence
}

// sequenceOf is nil where both runs asked a fixed number of questions, or all of them.
func sequenceOf(a, b *Run, margin float64) *sequence {
	if !b.mayStop() && !a.mayStop() {
		return nil
	}
	stopped, other := b, a
	if !b.mayStop() {
		stopped, other = a, b
	}
	until := stopped.Marked.Header.Selection.UntilDecided
	s := &sequence{run: stopped.Name, alpha: until.Alpha, decision: Undecided}
	last := stopped.lastInterim()
	made := Decision(last.Decision)
	switch {
	case until.Fingerprint != other.Marked.Header.DigestSettings():
		s.why = fmt.Sprintf("%s was compared with a third run", s.run)
		return s
	case made == "":
		s.why = fmt.Sprintf("%s is not finished, and nothing is decided yet", s.run)
		return s
	case stopped == b:
		s.decision, s.below = made.At(until.Margin, margin), made == Worse
	default:
		s.decision, s.below = made.Turned(), made == Better
	}
	s.after = last.After
	s.why = fmt.Sprintf("%s stopped once it was shown to be %s", s.run, shown(made, other.Name, points(stats.Of(until.Margin))))
	return s
}

// mayStop says whether the run had no fixed number of questions.
func (r *Run) mayStop() bool {
	return r.Marked.Header.Selection.StopsItself() && r.lastInterim().Stop != journal.StopExhausted
}

// lastInterim is the run's last interim analysis; the zero value where there is none.
func (r *Run) lastInterim() journal.Interim {
	if n := len(r.Marked.Interims); n > 0 {
		return r.Marked.Interims[n-1]
	}
	return journal.Interim{}
}

// ranOut says whether one of the runs was compared with the other until no questions were left.
func ranOut(a, b *Run) bool {
	held := func(run, other *Run) bool {
		until := run.Marked.Header.Selection.UntilDecided
		return until != nil && until.Fingerprint == other.Marked.Header.DigestSettings() &&
			run.lastInterim().Stop == journal.StopExhausted
	}
	return held(a, b) || held(b, a)
}

// shown is a decision in words, to follow "is".
func shown(d Decision, than, margin string) string {
	switch d {
	case Better:
		return "better than " + than
	case NotWorse:
		return fmt.Sprintf("at most %s worse than %s", margin, than)
	}
	return fmt.Sprintf("more than %s worse than %s", margin, than)
}

// sentence says what the sequence shows about two models.
func (s *sequence) sentence(a, b, margin string) string {
	if s.decision == Undecided {
		return fmt.Sprintf("undecided whether %s is at most %s worse than %s: %s", b, margin, a, s.why)
	}
	return fmt.Sprintf("%s is %s: decided after %s, as %s ran; at most %s of such decisions are wrong", b, shown(s.decision, a, margin),
		format.Several(s.after, "question"), s.run, format.Percent(stats.Of(s.alpha)))
}

// Together describes the total error of several runs that stopped early; shared says whether it is within the confidence.
func (c *Comparison) Together() (text string, shared bool) {
	decided, wrong := 0, 0.0
	for i := range c.Pairs {
		if s := c.Pairs[i].sequence; s != nil && s.decision != Undecided {
			decided, wrong = decided+1, wrong+s.alpha
		}
	}
	if decided < 2 {
		return "", true
	}
	text = fmt.Sprintf("%s stopped once they were decided, each wrongly at most %s of the time", format.Several(decided, "run"),
		format.Percent(stats.Of(wrong/float64(decided))))
	if allowed := 1 - c.Confidence; wrong <= allowed*(1+1e-9) {
		return fmt.Sprintf("%s: together at most %s (Bonferroni)", text, format.Percent(stats.Of(allowed))), true
	}
	return fmt.Sprintf("%s, which is not shared out: one of them is wrong up to %s of the time", text, format.Percent(stats.Of(wrong))), false
}
