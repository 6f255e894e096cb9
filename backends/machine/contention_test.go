package machine

import (
	"testing"
	"time"
)

func TestThreadsMakeRoomForOtherPrograms(t *testing.T) {
	now := time.Now().Add(-time.Hour)
	var done sample
	c := &Contention{most: 4, now: 4, cpus: 8, sample: func() (sample, bool) { return done, true }, last: sample{at: now}}
	for _, step := range []struct {
		others float64 // CPUs that others keep busy
		own    float64 // and the engine
		want   int
	}{
		{0, 4, 4}, {0.3, 4, 4}, {4.3, 3.7, 4}, {4.6, 3.4, 3}, {5.5, 2.5, 2}, {7.5, 0.5, 1}, {8, 0, 1}, {6, 1, 2}, {0, 1, 4},
	} {
		const seconds = 2
		done.at = c.last.at.Add(seconds * time.Second)
		done.self = c.last.self + step.own*seconds
		done.all = c.last.all + seconds*8
		done.idle = c.last.idle + seconds*(8-step.others-step.own)
		before := c.now
		got, changed := c.Threads()
		if got != step.want || changed != (got != before) {
			t.Errorf("beside %g busy CPUs: %d threads (changed: %v), want %d after %d", step.others, got, changed, step.want, before)
		}
	}
}

func TestOtherProgramsAreSampledOnceASecond(t *testing.T) {
	samples := 0
	c := &Contention{most: 2, now: 2, cpus: 2, window: time.Hour, last: sample{at: time.Now()}}
	c.sample = func() (sample, bool) { samples++; return sample{}, false }
	for range 100 {
		c.Threads()
	}
	if samples != 0 {
		t.Errorf("%d samples within the window", samples)
	}
}

func TestTheMachineIsSampled(t *testing.T) {
	first, ok := takeSample()
	if !ok {
		t.Skip("this system does not tell")
	}
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); {
	}
	second, _ := takeSample()
	if second.self <= first.self || second.all <= first.all {
		t.Errorf("%+v, then %+v", first, second)
	}
}
