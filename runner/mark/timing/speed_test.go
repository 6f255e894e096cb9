package timing

import (
	"testing"
	"time"
)

func TestARateNeedsTimeAndSomethingDone(t *testing.T) {
	near(t, "three in two seconds", rate(3, 2*time.Second), 1.5)
	near(t, "one in the shortest time", rate(1, time.Nanosecond).Times(1e-9), 1)
	for _, none := range []struct {
		n    int
		took time.Duration
	}{{0, time.Second}, {-1, time.Second}, {1, 0}, {1, -time.Second}, {0, 0}} {
		if r := rate(none.n, none.took); r.Defined() {
			t.Errorf("%d in %v: %v", none.n, none.took, r)
		}
	}
}
