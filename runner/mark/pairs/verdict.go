package pairs

import (
	"fmt"
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/betting"
)

// A Decision is what a pair's verdict comes to, for programs; empty where there is none, since a run's score is not valid.
type Decision string

const (
	Better    Decision = "better"    // the interval of the difference is above 0
	Worse     Decision = "worse"     // it is below 0, and a loss beyond the margin is not ruled out
	NotWorse  Decision = "not_worse" // it is above the loss of the margin: B may be a little worse, or better
	Undecided Decision = "undecided" // none of these is shown
	Identical Decision = "identical" // the same mark on every item; NonInferior says whether that rules out a loss of the margin
)

// decide finds the decision from the interval of the difference and the margin.
func (p *Pair) decide(o Options) Decision {
	switch {
	case len(p.invalid) > 0:
		return ""
	case p.sequential != nil:
		return map[string]Decision{
			string(betting.Better): Better, string(betting.NotWorse): NotWorse, string(betting.Worse): Worse,
		}[p.sequential.Decision]
	case p.RightToWrong+p.WrongToRight == 0:
		return Identical
	case p.CI.IsZero():
		return Undecided
	case p.CI.Low > 0:
		return Better
	case p.CI.Low > -o.Margin:
		return NotWorse
	case p.CI.High < 0:
		return Worse
	}
	return Undecided
}

// ShownWorse says whether B is worse than A by its decision.
func (p *Pair) ShownWorse() bool { return p.Decision == Worse }

// below says whether B is shown to score less than A, be it within the margin.
func (p *Pair) below() bool {
	if p.sequential != nil {
		return p.Decision == Worse
	}
	return p.Decision != "" && !p.CI.IsZero() && p.CI.High < 0
}

// ShownNotWorse says whether a loss beyond the margin is ruled out.
func (p *Pair) ShownNotWorse() bool { return p.NonInferior != nil && *p.NonInferior }

// sentence says in plain words what the pair shows.
func (p *Pair) sentence(o Options) string {
	if p.Decision == "" {
		return "no verdict: not a valid score: " + strings.Join(p.invalid, ", ")
	}
	if p.CI.IsZero() && p.Decision != Identical && p.sequential == nil {
		return fmt.Sprintf("undecided whether %s differs from %s in %s: %s", p.B, p.A, p.MeasureName(), format.NoInterval(p.CI)) + p.size()
	}
	return p.quality(o) + ", in " + p.MeasureName() + p.size()
}

func (p *Pair) quality(o Options) string {
	margin, sure := points(stats.Of(o.Margin)), fmt.Sprintf("%g %%", 100*roundConfidence(o.Confidence))
	if p.sequential != nil {
		return p.ended(margin)
	}
	if p.Decision == Identical {
		return p.same(margin)
	}
	switch {
	case p.Decision == Better:
		return fmt.Sprintf("%s is better than %s by %s (%s interval %s)", p.B, p.A, points(p.Difference), sure, span(p.CI.Low, p.CI.High))
	case p.CI.High < 0:
		text := fmt.Sprintf("%s is worse than %s by %s (%s interval %s)",
			p.B, p.A, points(stats.Of(-p.Difference.Or(0))), sure, span(-p.CI.High, -p.CI.Low))
		if p.Decision == NotWorse {
			text += ", within the margin of " + margin
		}
		return text
	case p.Decision == NotWorse:
		return fmt.Sprintf("%s is at most %s worse than %s (%s)", p.B, margin, p.A, sure)
	}
	return fmt.Sprintf("undecided whether %s is at most %s worse than %s: %s could be %s worse to %s better (%s)",
		p.B, margin, p.A, p.B, points(stats.Of(-p.CI.Low)), points(stats.Of(p.CI.High)), sure)
}

// ended is the sentence of a run that stopped once this comparison was decided.
func (p *Pair) ended(margin string) string {
	shown := map[Decision]string{
		Better:   "is better than " + p.A,
		NotWorse: fmt.Sprintf("is at most %s worse than %s", margin, p.A),
		Worse:    "is worse than " + p.A,
	}[p.Decision]
	return fmt.Sprintf("%s %s on this set of questions: decided after %s, as it ran; at most %s of such decisions are wrong", p.B,
		shown, format.Several(p.sequential.After, "question"), format.Percent(stats.Of(1-p.sequential.Confidence)))
}

// same is the sentence of runs whose every item has the same mark.
func (p *Pair) same(margin string) string {
	text := fmt.Sprintf("%s and %s have the same mark on all %s; ", p.B, p.A, format.Several(p.Questions, "question"))
	if p.ShownNotWorse() {
		return text + "that rules out a loss of " + margin
	}
	return text + "too few to rule out a loss of " + margin
}

// size is how much smaller or larger the model of B is.
func (p *Pair) size() string {
	switch size := 100 * p.Size.Or(0); {
	case size <= -1:
		return fmt.Sprintf("; %.0f %% smaller", -size)
	case size >= 1:
		return fmt.Sprintf("; %.0f %% larger", size)
	}
	return ""
}

// AtMost answers whether B is at most the margin worse.
func (p *Pair) AtMost(margin float64) string {
	switch {
	case p.NonInferior == nil:
		return format.Undefined
	case *p.NonInferior:
		return "yes"
	case p.sequential == nil && p.CI.High < -margin:
		return "no"
	}
	return "undecided"
}

// points is a share in percentage points.
func points(n stats.Number) string { return format.Points(n, 1) }

func span(low, high float64) string {
	return format.Decimal(stats.Of(low), 100, 1, "") + "–" + points(stats.Of(high))
}

// PairConfidence is that of the pairs' intervals, which hold for all pairs together.
func (c *Comparison) PairConfidence() float64 {
	return roundConfidence(Options{Confidence: c.Confidence}.Together(len(c.Pairs)).Confidence)
}

// Stopped says whether B's run ended once it was decided how it does beside A: the interval decides nothing then.
func (p *Pair) Stopped() bool { return p.sequential != nil }
