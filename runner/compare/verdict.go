package compare

import (
	"fmt"
	"math"

	"proctor/runner/stats"
	"proctor/runner/words"
)

// sentence says in plain words what the pair shows, from the interval of the difference and the margin.
func (p *Pair) sentence(o Options) string { return p.quality(o) + p.cost() }

func (p *Pair) quality(o Options) string {
	margin, sure := points(stats.Of(o.Margin)), fmt.Sprintf("%g %%", 100*o.Confidence)
	switch {
	case p.CI.IsZero():
		return fmt.Sprintf("this comparison can't tell %s from %s: too few questions", p.B, p.A)
	case p.CI.Low > 0:
		return fmt.Sprintf("%s is better than %s by %s (%s interval %s)", p.B, p.A, points(p.Difference), sure, span(p.CI.Low, p.CI.High))
	case p.CI.High < 0 && p.CI.Low > -o.Margin:
		return fmt.Sprintf("%s is worse than %s by %s (%s interval %s), within the margin of %s",
			p.B, p.A, points(flipped(p.Difference)), sure, span(-p.CI.High, -p.CI.Low), margin)
	case p.CI.High < 0:
		return fmt.Sprintf("%s is worse than %s by %s (%s interval %s)",
			p.B, p.A, points(flipped(p.Difference)), sure, span(-p.CI.High, -p.CI.Low))
	case p.CI.Low > -o.Margin:
		return fmt.Sprintf("%s is not worse than %s by more than %s (%s)", p.B, p.A, margin, sure)
	case p.MoreQuestions > 0:
		return fmt.Sprintf("this comparison can't tell whether %s is worse than %s by more than %s: %s would be needed",
			p.B, p.A, margin, words.Several(rounded(p.MoreQuestions), "more question"))
	}
	return fmt.Sprintf("this comparison can't tell whether %s is worse than %s by more than %s: the difference is between %s and %s",
		p.B, p.A, margin, words.Change(stats.Of(p.CI.Low), 1), words.Change(stats.Of(p.CI.High), 1))
}

// cost is what B saves or costs beside A: time and size, where they differ.
func (p *Pair) cost() string {
	text := ""
	for _, s := range p.Speed {
		if s.Name != perItem || !s.Significant {
			continue
		}
		switch ratio := s.MedianA.Or(1) / s.MedianB.Or(1); {
		case ratio >= 1.05:
			text += fmt.Sprintf("; %.1f× faster", ratio)
		case ratio <= 1/1.05:
			text += fmt.Sprintf("; %.1f× slower", 1/ratio)
		}
	}
	switch size := 100 * p.Size.Or(0); {
	case size <= -1:
		text += fmt.Sprintf("; %.0f %% smaller", -size)
	case size >= 1:
		text += fmt.Sprintf("; %.0f %% larger", size)
	}
	return text
}

// rounded is a number of questions that claims no more than is known: two figures, upwards.
func rounded(n int) int {
	if n < 100 {
		return n
	}
	unit := int(math.Pow(10, math.Floor(math.Log10(float64(n)))-1))
	return (n + unit - 1) / unit * unit
}

// points is a share in percentage points.
func points(n stats.Number) string { return words.Points(n, 1) }

func span(low, high float64) string {
	return words.Decimal(stats.Of(low), 100, 1, "") + "–" + points(stats.Of(high))
}

func flipped(n stats.Number) stats.Number { return stats.Of(0).Minus(n) }
