package timing

import (
	"fmt"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/stats"
)

// Others is what other programs did while the run ran, on average over the time.
type Others struct {
	backends.Load
	Least   stats.Number `json:"cpu_share_least"` // of the times that the journal tells apart, a second each or longer
	Most    stats.Number `json:"cpu_share_most"`
	Seconds stats.Number `json:"seconds"` // that it is known for
}

// Busy says whether they took so much that the rates are those of a shared machine.
func (o *Others) Busy() bool { return o != nil && o.Load.Busy() }

// Taken is what they took, on average and at times, for people: 1.1 of 2 cores (0.1 to 1.9).
func (o *Others) Taken() string {
	text, cpus := o.Load.Taken(), float64(o.CPUs)
	if o.Least != o.Most {
		text += fmt.Sprintf(" (%.1f to %.1f)", o.Least.Or(0)*cpus, o.Most.Or(0)*cpus)
	}
	return text
}

// String is [backends.Load.String] with the range.
func (o *Others) String() string { return "other programs took " + o.Taken() + o.Computed() }

// othersOf is nil where the journal tells nothing.
func othersOf(all []journal.Others, cpus int) *Others {
	if len(all) == 0 {
		return nil
	}
	least, most, taken, over := all[0].Share, all[0].Share, 0.0, time.Duration(0)
	load := backends.Load{CPUs: max(1, cpus)}
	for _, each := range all {
		least, most = min(least, each.Share), max(most, each.Share)
		taken += each.Share * each.Over.Seconds()
		over += each.Over
		load.Computing(each.Threads)
	}
	load.Share = taken / over.Seconds()
	return &Others{load, stats.Of(least), stats.Of(most), stats.Of(over.Seconds())}
}
