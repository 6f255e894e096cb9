// Package forecast estimates a run before it begins: what is left to ask, and how long that takes at the pace that the
// model is expected to have. Neighbours: package ask counts the work and asks the model for its pace; runner/report
// writes a [Run].
package forecast

import (
	"proctor/backends"
	"proctor/runner/journal"
)

// A Task is what one task of a run asks. Tokens are 0 where nobody counted them.
type Task struct {
	Name      string
	Folder    string          // of its journal
	Header    *journal.Header // as far as it is known
	Questions int
	Items     int
	Prompts   int // tokens of all prompts
	Fresh     int // of them, the ones to evaluate: the others are shared
	KeptBytes int // of an answer's log-probabilities; 0 where none are kept

	// What has no answer yet: items, tokens of their prompts to evaluate, and tokens of their completions, at least, about
	// and at most.
	Left, Reading         int
	Least, Expected, Most int
}

// A Run is the forecast of a run.
type Run struct {
	backends.Forecast
	Model backends.ModelInfo
	// how tokens are drawn, or how that differs from what the model recommends; empty where it doesn't
	Sampled string
	Others  backends.Load // what other programs took while the forecast was made
	Tasks   []Task
}

// Takes returns the seconds that the rest of all tasks takes, as a range; 0 where the pace is unknown. Other programs,
// which have a share of the CPUs, may end, or take as much again. Where slots stay empty, an answer is at least as fast
// as with all slots busy, and all answers together are at most as fast.
func (r *Run) Takes() (low, high float64) {
	if r.Duration <= 0 || r.Prefill <= 0 {
		return 0, 0
	}
	least, most := 0.85, 1.2 // a pace differs a little from another run's
	if r.Rough {
		least, most = 0.7, 1.4 // and more from a second's measurement
	}
	for _, t := range r.Tasks {
		reading, slower := float64(t.Reading)/r.Prefill, 1.0
		if 0 < t.Left && t.Left < r.Slots {
			slower = float64(r.Slots) / float64(t.Left)
		}
		low, high = low+reading, high+reading
		if t.Expected > 0 {
			low, high = low+float64(t.Least)/r.Decode, high+float64(t.Most)/r.Decode*slower
		}
	}
	return low * least * (1 - r.Others.Share), high * most / max(0.2, 1-r.Others.Share)
}
