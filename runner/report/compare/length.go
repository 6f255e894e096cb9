package compare

import (
	"fmt"

	"proctor/backends"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// A Length is how much a run writes for an item, of the items that have a completion. It is zero where the journal counts no tokens.
type Length struct {
	Items       int          `json:"items"`
	Mean        stats.Number `json:"mean_tokens,omitzero"` // output tokens, thinking among them
	P5          stats.Number `json:"p5_tokens,omitzero"`
	P50         stats.Number `json:"p50_tokens,omitzero"`
	P95         stats.Number `json:"p95_tokens,omitzero"`
	Thinking    stats.Number `json:"mean_thinking_tokens,omitzero"`
	Capped      int          `json:"capped"` // ended by --max-tokens, whatever their mark
	CappedShare stats.Number `json:"capped_share,omitzero"`
}

func lengthOf(run *results.Run) Length {
	var l Length
	var tokens []float64
	thinking, all := 0, 0
	for a := range run.View(0).Scored() {
		l.Items++
		tokens = append(tokens, float64(a.Usage.OutputTokens))
		all += a.Usage.OutputTokens
		thinking += a.Usage.ThinkingTokens
		if a.Finish == backends.FinishLength {
			l.Capped++
		}
	}
	l.CappedShare = stats.Ratio(l.Capped, l.Items)
	if all == 0 {
		return l
	}
	l.Mean, l.Thinking = stats.Ratio(all, l.Items), stats.Ratio(thinking, l.Items)
	l.P5, l.P50, l.P95 = stats.Quantile(tokens, 0.05), stats.Quantile(tokens, 0.50), stats.Quantile(tokens, 0.95)
	return l
}

// lengthSection sets the runs' lengths side by side.
func (c *Comparison) lengthSection() page.Section {
	s := page.Section{Title: "Length of completions"}
	grid := &page.Grid{Head: []string{"run", "items", "mean", "median", "5–95 %", "thinking", "hit the cap", "of items"}}
	for i := range c.Runs {
		l := &c.Runs[i].Length
		grid.Add(c.Runs[i].Name, format.Count(l.Items), format.Short(l.Mean), format.Short(l.P50), l.span(), format.Short(l.Thinking),
			format.Count(l.Capped), format.Percent(l.CappedShare))
		if l.Mean.Defined() || l.Capped > 0 {
			s.Table = grid
		}
	}
	if s.Table != nil {
		s.Notes = []string{"output tokens an item, thinking among them, each run's own; the cap is --max-tokens"}
	}
	return s
}

// span is the middle 90 %.
func (l *Length) span() string {
	if !l.P5.Defined() {
		return format.Undefined
	}
	return fmt.Sprintf("%s–%s", format.Short(l.P5), format.Short(l.P95))
}

// A Floor is how much a run differs from itself: what two more runs of the same model are expected to, by its repeats (an A/A
// test). A difference to another run that is no larger says nothing of the models.
type Floor struct {
	Repeats       int          `json:"repeats"`
	Flips         stats.Number `json:"flips,omitzero"`          // items right in one only
	AnswerChanged stats.Number `json:"answer_changed,omitzero"` // another letter, or one with none
	Noise         stats.Number `json:"noise_floor,omitzero"`    // items whose letter is not the same in all repeats
}

// floorSection sets what runs differ from themselves beside what pairs do.
func (c *Comparison) floorSection() page.Section {
	s := page.Section{Title: "A/A floor"}
	add := func(name string, repeats string, flips, changed, noise stats.Number) {
		if s.Table == nil {
			s.Table = &page.Grid{Head: []string{"", "repeats", "flips", "answers changed", "differ in some repeat"}}
		}
		s.Table.Add(name, repeats, format.Percent(flips), format.Percent(changed), format.Percent(noise))
	}
	for i := range c.Runs {
		if f := c.Runs[i].Floor; f != nil {
			add(c.Runs[i].Name+" and itself", format.Count(f.Repeats), f.Flips, f.AnswerChanged, f.Noise)
		}
	}
	if s.Table == nil {
		return page.Section{}
	}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		add(p.A+" and "+p.B, "", p.Flips, p.AnswerChanged, stats.Undefined)
	}
	s.Notes = []string{"a run and itself: what its repeats lead to expect between two more runs of the same model; " +
		"two models with no more flips than that are not shown to differ"}
	return s
}
