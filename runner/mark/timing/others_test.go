package timing

import (
	"testing"
	"time"

	"proctor/runner/journal"
)

func TestTheLoadOfOthersIsWeightedByTime(t *testing.T) {
	o := othersOf([]journal.Others{{Share: 0.02, Over: 3 * time.Second}, {Share: 0.5, Over: time.Second}})
	near(t, "share", o.Share, 0.14)
	near(t, "least", o.Least, 0.02)
	near(t, "most", o.Most, 0.5)
	near(t, "seconds", o.Seconds, 4)
	if othersOf(nil) != nil || othersOf(nil).Busy() || othersOf([]journal.Others{{Share: 0.05, Over: 1}}).Busy() || !o.Busy() {
		t.Errorf("5 %% is in nobody's way, 14 %% are")
	}
}
