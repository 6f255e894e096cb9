package llamacpp

import (
	"runtime"
	"time"
)

// The engine's threads wait for each other hundreds of times a token, and they spin while they wait. One that shares its
// core with another program makes all of them slow: by ten and more times, measured. So the engine computes on as many
// threads as there are cores left.

const (
	crowdWindow = time.Second            // time over which other programs are watched
	firstWindow = 100 * time.Millisecond // and before the first decode
	spareShare  = 0.4                    // share of a core that others may take before a thread is given up for them
)

// crowd watches how much of the machine other programs use.
type crowd struct {
	most, now int // threads
	cpus      int
	window    time.Duration
	last      snapshot
	snapshot  func() (snapshot, bool)
}

// snapshot is what the machine's CPUs and this process have done by a moment.
type snapshot struct {
	at      time.Time
	machine ticks
	own     time.Duration // CPU time
}

func newCrowd(threads int) *crowd {
	c := &crowd{most: threads, now: threads, cpus: runtime.NumCPU(), window: firstWindow, snapshot: takeSnapshot}
	if threads == 1 {
		return nil
	}
	var known bool
	if c.last, known = c.snapshot(); !known {
		return nil
	}
	time.Sleep(firstWindow)
	return c
}

// look returns how many threads to compute on from now on, and whether that is a change.
func (c *crowd) look() (threads int, changed bool) {
	if time.Since(c.last.at) < c.window {
		return c.now, false
	}
	after, known := c.snapshot()
	if !known {
		return c.now, false
	}
	before := c.now
	c.now = c.beside(c.others(after))
	c.last, c.window = after, crowdWindow
	return c.now, c.now != before
}

// others is how many CPUs other programs kept busy since the last look.
func (c *crowd) others(after snapshot) float64 {
	all := float64(after.machine.all - c.last.machine.all)
	took := after.at.Sub(c.last.at).Seconds()
	if all <= 0 || took <= 0 {
		return 0
	}
	busy := (all - float64(after.machine.idle-c.last.machine.idle)) / all * float64(c.cpus)
	return max(0, busy-(after.own-c.last.own).Seconds()/took)
}

// beside is how many threads fit beside so many busy CPUs.
func (c *crowd) beside(others float64) int {
	return max(1, min(c.most, int(float64(c.cpus)-others+spareShare)))
}
