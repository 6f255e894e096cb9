package metrics

import (
	"fmt"

	"proctor/runner/journal"
	"proctor/runner/stats"
	"proctor/runner/words"
)

// Sequential is how a run went that was to stop once the headline's interval is narrow enough.
type Sequential struct {
	Target     float64      `json:"until_half_width"`
	Confidence float64      `json:"confidence,omitempty"` // of the interval that decided
	Interims   int          `json:"looks"`
	Stopped    journal.Stop `json:"stopped,omitempty"` // narrow, asked, or nothing where the run is not finished
	History    []Interim    `json:"history,omitempty"`
}

// An Interim is one interim analysis: what the interval was then.
type Interim struct {
	Number    int          `json:"look"` // from 1
	Questions int          `json:"questions"`
	Items     int          `json:"items"`
	Errors    int          `json:"errors"`
	Headline  string       `json:"headline"`
	RuleSet   string       `json:"rule_set"`
	Value     stats.Number `json:"value,omitzero"`
	HalfWidth stats.Number `json:"half_width,omitzero"`
}

// sequential sets how a run with a half width to reach went.
func (r *Summary) sequential(h *journal.Header, interims []journal.Interim) {
	if h.Selection.UntilHalfWidth <= 0 {
		return
	}
	s := &Sequential{Target: finite(h.Selection.UntilHalfWidth), Interims: len(interims)}
	for _, interim := range interims {
		s.History = append(s.History, Interim{
			Number: interim.Number, Questions: interim.Questions, Items: interim.Items, Errors: interim.Errors,
			Headline: interim.Headline, RuleSet: interim.RuleSet, Value: number(interim.Value), HalfWidth: number(interim.HalfWidth),
		})
		s.Confidence, s.Stopped = finite(interim.Confidence), interim.Stop
	}
	r.Sequential = s
	if s.Stopped == journal.StopNarrow {
		r.warn(AboutAccuracy, fmt.Sprintf("the run stopped by itself once the interval was narrow enough, after %s: "+
			"the interval is a little optimistic, see Stopping", words.Several(s.Interims, "look")))
	}
}

func number(x *float64) stats.Number {
	if x == nil {
		return stats.Undefined
	}
	return stats.Of(*x)
}

// planned is how many items the run set out to ask: of one that stopped by itself those up to there.
func (r *Summary) planned(h *journal.Header) int {
	if s := r.Sequential; s != nil && s.Stopped != "" {
		return s.History[len(s.History)-1].Items
	}
	return h.Selection.Items
}
