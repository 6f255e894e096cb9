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

// energyOf is nil where the journal tells nothing of energy; times is nil where it tells no times.
func energyOf(source *journal.EnergySource, times *results.Times, cost Cost) *Energy {
	if source == nil {
		return nil
	}
	e := &Energy{Counters: source.Counters, Unread: source.Unread}
	if times == nil {
		return e
	}
	joules, over := 0.0, time.Duration(0)
	for _, each := range times.Energy {
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

// scaled is an interval in another unit.
func scaled(ci stats.Interval, by float64) stats.Interval {
	ci.Low, ci.High = ci.Low*by, ci.High*by
	return ci
}

// busy is the share of the CPUs above which other programs are said to be in the way: more than a system at rest takes.
const busy = 0.05

// Others is what other programs took of the CPUs that the engine could use, while the run ran.
type Others struct {
	Share   stats.Number `json:"cpu_share"`       // on average over the time
	Least   stats.Number `json:"cpu_share_least"` // of the times that the journal tells apart, a second each or longer
	Most    stats.Number `json:"cpu_share_most"`
	Seconds stats.Number `json:"seconds"` // that it is known for
}

// Busy says whether they took so much that the rates are those of a shared machine.
func (o *Others) Busy() bool { return o != nil && o.Share.Or(0) > busy }

// othersOf is nil where the journal tells nothing.
func othersOf(all []journal.Others) *Others {
	if len(all) == 0 {
		return nil
	}
	least, most, taken, over := all[0].Share, all[0].Share, 0.0, time.Duration(0)
	for _, each := range all {
		least, most = min(least, each.Share), max(most, each.Share)
		taken += each.Share * each.Over.Seconds()
		over += each.Over
	}
	return &Others{stats.Of(taken / over.Seconds()), stats.Of(least), stats.Of(most), stats.Of(over.Seconds())}
}
