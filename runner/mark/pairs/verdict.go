package pairs

import (
	"fmt"
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// A Decision is a pair's verdict for programs; empty where a run's score is not valid.
type Decision = stats.Decision

const (
	Better             = stats.Better
	Worse              = stats.Worse
	NotWorse           = stats.NotWorse
	Undecided          = stats.Undecided
	Identical Decision = "identical" // the same mark on every item; NonInferior says whether that rules out a loss of the margin
)

// decide finds the decision from the interval of the difference and the margin.
func (p *Pair) decide(o Options) Decision {
	switch {
	case len(p.invalid) > 0:
		return ""
	case p.sequence != nil:
		return p.sequence.decision
	case p.RightToWrong+p.WrongToRight == 0:
		return Identical
	}
	return stats.Decide(p.CI, o.Margin)
}

// ShownWorse says whether B is worse than A by more than the margin.
func (p *Pair) ShownWorse() bool { return p.Decision == Worse }

// Below says whether B is shown to score less than A, even if within the margin.
func (p *Pair) Below() bool {
	if p.sequence != nil {
		return p.sequence.below
	}
	return p.Decision != "" && !p.CI.IsZero() && p.CI.High < 0
}

// ShownNotWorse says whether a loss beyond the margin is ruled out.
func (p *Pair) ShownNotWorse() bool { return p.NonInferior != nil && *p.NonInferior }

// sentence is the verdict in plain words.
func (p *Pair) sentence(o Options) string {
	if p.Decision == "" {
		return "no verdict: not a valid score: " + strings.Join(p.invalid, ", ")
	}
	if p.CI.IsZero() && p.Decision == Undecided && p.sequence == nil {
		return fmt.Sprintf("undecided whether %s differs from %s in %s: %s", p.B, p.A, p.MeasureName(), p.counts()) + p.size()
	}
	return p.quality(o) + ", in " + p.MeasureName() + p.size()
}

// counts are the results of few questions in numbers.
func (p *Pair) counts() string {
	return fmt.Sprintf("%s are too few to compare, %d right in %s alone and %d in %s alone", format.Several(p.Questions, "question"),
		p.Table.OnlyA, p.A, p.Table.OnlyB, p.B)
}

func (p *Pair) quality(o Options) string {
	margin, sure := points(stats.Of(o.Margin)), fmt.Sprintf("%g %%", 100*roundConfidence(o.Confidence))
	on := ""
	if p.ranOut {
		on = fmt.Sprintf(" on these %s, all that were planned", format.Several(p.Questions, "question"))
	}
	switch {
	case p.sequence != nil:
		return p.sequence.sentence(p.A, p.B, margin)
	case p.Decision == Identical:
		return p.same(margin)
	case p.Decision == Better:
		return fmt.Sprintf("%s is better than %s by %s%s (%s interval %s)", p.B, p.A, points(p.Difference), on, sure, span(p.CI.Low, p.CI.High))
	case p.CI.High < 0:
		within := map[Decision]string{NotWorse: "within", Worse: "by more than", Undecided: "undecided whether within"}[p.Decision]
		return fmt.Sprintf("%s is worse than %s by %s%s (%s interval %s), %s the margin of %s", p.B, p.A,
			points(stats.Of(-p.Difference.Or(0))), on, sure, span(-p.CI.High, -p.CI.Low), within, margin)
	case p.Decision == NotWorse:
		return fmt.Sprintf("%s is at most %s worse than %s%s (%s)", p.B, margin, p.A, on, sure)
	}
	return fmt.Sprintf("undecided whether %s is at most %s worse than %s%s: %s could be %s worse to %s better (%s)",
		p.B, margin, p.A, on, p.B, points(stats.Of(-p.CI.Low)), points(stats.Of(p.CI.High)), sure)
}

// same is the verdict on runs with the same mark on every item.
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
func (p *Pair) AtMost() string {
	switch {
	case p.NonInferior == nil:
		return format.Undefined
	case *p.NonInferior:
		return "yes"
	case p.ShownWorse():
		return "no"
	}
	return "undecided"
}

// points is a share in percentage points.
func points(n stats.Number) string { return format.Points(n, 1) }

func span(low, high float64) string {
	return format.Decimal(stats.Of(low), 100, 1, "") + "–" + points(stats.Of(high))
}

// PairConfidence is the confidence of each pair's interval; together they hold with the comparison's.
func (c *Comparison) PairConfidence() float64 {
	return roundConfidence(Options{Confidence: c.Confidence}.ForPairs(len(c.Pairs)).Confidence)
}
