package timing

import (
	"testing"
	"time"

	"proctor/runner/journal"
	"proctor/runner/mark/stats"
)

func TestTheLoadOfOthersIsWeightedByTime(t *testing.T) {
	o := othersOf([]journal.Others{{Share: 0.02, Over: 3 * time.Second, Threads: 2}, {Share: 0.5, Over: time.Second, Threads: 1}, {Over: time.Nanosecond}}, 2)
	near(t, "share", stats.Of(o.Share), 0.14)
	near(t, "least", o.Least, 0)
	near(t, "most", o.Most, 0.5)
	near(t, "seconds", o.Seconds, 4.000000001)
	if want := "other programs took 0.3 of 2 cores (0.0 to 1.0); computed on 1 to 2 threads"; o.String() != want {
		t.Errorf("%q, want %q", o, want)
	}
	if even := othersOf([]journal.Others{{Share: 0.3, Over: 1}}, 1).String(); even != "other programs took 0.3 of 1 core" {
		t.Error(even)
	}
	quiet := othersOf([]journal.Others{{Share: 0.05, Over: 1}}, 2)
	if othersOf(nil, 2) != nil || othersOf(nil, 2).Busy() || quiet.Busy() || !o.Busy() {
		t.Errorf("5 %% is in nobody's way, 14 %% are")
	}
}
