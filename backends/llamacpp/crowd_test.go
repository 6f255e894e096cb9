package llamacpp

import (
	"testing"
	"time"
)

func TestThreadsMakeRoomForOtherPrograms(t *testing.T) {
	now := time.Now().Add(-time.Hour)
	var done snapshot
	c := &crowd{most: 4, now: 4, cpus: 8, snapshot: func() (snapshot, bool) { return done, true }, last: snapshot{at: now}}
	for _, step := range []struct {
		others float64 // CPUs that others keep busy
		own    float64 // and the engine
		want   int
	}{
		{0, 4, 4}, {0.3, 4, 4}, {4.3, 3.7, 4}, {4.6, 3.4, 3}, {5.5, 2.5, 2}, {7.5, 0.5, 1}, {8, 0, 1}, {6, 1, 2}, {0, 1, 4},
	} {
		const seconds = 2
		done.at = c.last.at.Add(seconds * time.Second)
		done.own = c.last.own + time.Duration(step.own*seconds*float64(time.Second))
		done.machine.all = c.last.machine.all + seconds*100*8
		done.machine.idle = c.last.machine.idle + uint64(seconds*100*(8-step.others-step.own)+0.5)
		before := c.now
		got, changed := c.look()
		if got != step.want || changed != (got != before) {
			t.Errorf("beside %g busy CPUs: %d threads (changed: %v), want %d after %d", step.others, got, changed, step.want, before)
		}
	}
}

func TestOtherProgramsAreLookedAtOnceASecond(t *testing.T) {
	looked := 0
	c := &crowd{most: 2, now: 2, cpus: 2, window: time.Hour, last: snapshot{at: time.Now()}, snapshot: func() (snapshot, bool) { looked++; return snapshot{}, false }}
	for range 100 {
		c.look()
	}
	if looked != 0 {
		t.Errorf("looked %d times within the window", looked)
	}
}

func TestTheMachineIsLookedAt(t *testing.T) {
	first, ok := takeSnapshot()
	if !ok {
		t.Skip("this system does not tell")
	}
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); {
	}
	second, _ := takeSnapshot()
	if second.own <= first.own || second.machine.all <= first.machine.all {
		t.Errorf("%+v, then %+v", first, second)
	}
}
