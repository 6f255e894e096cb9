package metrics

import "proctor/runner/journal"

// Sequential describes a run that stops once its comparison with a reference run is decided.
type Sequential struct {
	Against  *journal.UntilDecided `json:"until_decided,omitempty"`
	Decision string                `json:"decision,omitempty"`      // in the words of compare; empty while undecided
	After    int                   `json:"decided_after,omitempty"` // questions
	Stopped  journal.Stop          `json:"stopped,omitempty"`       // asked or decided; empty for an unfinished run
	History  []journal.Interim     `json:"history,omitempty"`
}

// sequential sets the result of a run that may stop early.
func (r *Summary) sequential(h *journal.Header, interims []journal.Interim) {
	if !h.Selection.StopsItself() {
		return
	}
	s := &Sequential{Against: h.Selection.UntilDecided, History: interims}
	if len(interims) > 0 {
		last := interims[len(interims)-1]
		s.Decision, s.After, s.Stopped = last.Decision, last.After, last.Stop
	}
	r.Sequential = s
	if s.Stopped == journal.StopDecided {
		r.warn(AboutAccuracy, "it stopped once its comparison with "+s.Against.Run+" was decided: its own score rests on fewer questions")
	}
}

// planned is the run's number of items; for one that stopped early, those up to there.
func (r *Summary) planned(h *journal.Header) int {
	if s := r.Sequential; s != nil && s.Stopped != "" {
		return s.History[len(s.History)-1].Questions
	}
	if shard := h.History.Last().Shard; shard != nil {
		return shard.Items
	}
	return h.Selection.Items
}
