package machine

import (
	"math"
	"testing"
	"time"
)

func TestTheMonitorTellsTheShareOfEachTime(t *testing.T) {
	began := time.Now()
	var done sample
	m := &Monitor{usage{4, sample{at: began}, func() (sample, bool) { return done, true }}, true}
	for _, step := range []struct{ others, own, want float64 }{{0, 4, 0}, {2, 2, 0.5}, {1, 0, 0.25}, {4, 0, 1}, {0, 0, 0}} {
		last := done
		done = sample{
			at: m.usage.last.at.Add(3 * time.Second), self: last.self + 3*step.own, all: last.all + 3*4,
			idle: last.idle + 3*(4-step.others-step.own),
		}
		if share, known := m.Others(); !known || math.Abs(share-step.want) > 1e-9 {
			t.Errorf("others on %g of 4 CPUs: share %g, %v; want %g", step.others, share, known, step.want)
		}
	}
	m.usage.sample = func() (sample, bool) { return sample{}, false }
	if _, known := m.Others(); known {
		t.Error("a system that does not tell is known")
	}
	if _, known := (&Monitor{}).Others(); known {
		t.Error("a system that never told is known")
	}
}
