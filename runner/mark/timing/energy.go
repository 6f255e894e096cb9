package timing

import (
	"time"

	"proctor/runner/journal"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Energy is what the machine took while the run ran, of which other programs and a machine at rest have their part. Joules a
// question are the mean power by the seconds a question; their intervals take the power as known.
type Energy struct {
	Counters   []string       `json:"counters,omitempty"` // that are added up
	Unread     string         `json:"unread,omitempty"`   // why energy, or a part of it, is not readable
	Joules     stats.Number   `json:"joules,omitzero"`
	Seconds    stats.Number   `json:"seconds,omitzero"` // for which they are known
	Watts      stats.Number   `json:"watts,omitzero"`
	Question   stats.Number   `json:"joules_per_question,omitzero"`
	QuestionCI stats.Interval `json:"joules_per_question_ci,omitzero"`
	Right      stats.Number   `json:"joules_per_right_answer,omitzero"`
	RightCI    stats.Interval `json:"joules_per_right_answer_ci,omitzero"`
}

// energyOf is nil where the journal tells nothing of energy.
func energyOf(source *journal.EnergySource, all []journal.Energy, cost Cost) *Energy {
	if source == nil {
		return nil
	}
	e := &Energy{Counters: source.Counters, Unread: source.Unread}
	joules, over := 0.0, time.Duration(0)
	for _, each := range all {
		joules += each.Joules
		over += each.Over
	}
	if over <= 0 {
		return e
	}
	watts := joules / over.Seconds()
	e.Joules, e.Seconds, e.Watts = stats.Of(joules), stats.Of(over.Seconds()), stats.Of(watts)
	e.Question, e.QuestionCI = cost.Seconds.Times(watts), scaled(cost.SecondsCI, watts)
	e.Right, e.RightCI = cost.Right.Times(watts), scaled(cost.RightCI, watts)
	return e
}

// energyIn is what the lines tell.
func energyIn(times *results.Times) []journal.Energy {
	if times == nil {
		return nil
	}
	return times.Energy
}

// scaled is an interval in another unit.
func scaled(ci stats.Interval, by float64) stats.Interval {
	ci.Low, ci.High = ci.Low*by, ci.High*by
	return ci
}
