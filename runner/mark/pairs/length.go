package pairs

import (
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A Length is the number of tokens that a run writes for an item, over items with a completion. It is zero where the journal counts no
// tokens.
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
		if a.Cut {
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
