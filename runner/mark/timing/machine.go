package timing

import (
	"time"

	"proctor/runner/journal"
	"proctor/runner/mark/stats"
)

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
