package machine

import (
	"os"
	"runtime"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/process"
)

// An engine's threads wait for each other hundreds of times a token, and they spin while they wait. One that shares its
// core with another program makes all of them slow: by ten and more times, measured. So an engine computes on as many
// threads as there are cores left.

const (
	window      = time.Second            // time over which other programs are watched
	firstWindow = 100 * time.Millisecond // and before the first decode
	spareShare  = 0.4                    // share of a core that others may take before a thread is given up for them
)

// Contention watches how much of the machine's CPUs other programs use.
type Contention struct {
	most, now int // threads
	cpus      int
	window    time.Duration
	last      sample
	sample    func() (sample, bool)
}

// sample is the CPU time that was spent by a moment, in seconds.
type sample struct {
	at              time.Time
	all, idle, self float64 // of all CPUs together; of them, nothing was done in; of this process
}

// Watch begins to watch for an engine that computes on so many threads at most. It returns nil where there is nothing to
// give up, or the system does not tell.
func Watch(threads int) *Contention {
	if threads == 1 {
		return nil
	}
	c := &Contention{most: threads, now: threads, cpus: runtime.NumCPU(), window: firstWindow, sample: takeSample}
	var known bool
	if c.last, known = c.sample(); !known {
		return nil
	}
	time.Sleep(firstWindow)
	return c
}

// Threads returns how many threads to compute on from now on, and whether that is a change.
func (c *Contention) Threads() (threads int, changed bool) {
	if time.Since(c.last.at) < c.window {
		return c.now, false
	}
	after, known := c.sample()
	if !known {
		return c.now, false
	}
	before := c.now
	c.now = c.beside(c.others(after))
	c.last, c.window = after, window
	return c.now, c.now != before
}

// others is how many CPUs other programs kept busy since the last sample.
func (c *Contention) others(after sample) float64 {
	all, took := after.all-c.last.all, after.at.Sub(c.last.at).Seconds()
	if all <= 0 || took <= 0 {
		return 0
	}
	busy := (all - (after.idle - c.last.idle)) / all * float64(c.cpus)
	return max(0, busy-(after.self-c.last.self)/took)
}

// beside is how many threads fit beside so many busy CPUs.
func (c *Contention) beside(others float64) int {
	return max(1, min(c.most, int(float64(c.cpus)-others+spareShare)))
}

// takeSample reads the system's counters and this process's own; false where they are not to be had.
func takeSample() (sample, bool) {
	times, err := cpu.Times(false)
	if err != nil || len(times) != 1 {
		return sample{}, false
	}
	own, err := (&process.Process{Pid: int32(os.Getpid())}).Times()
	if err != nil {
		return sample{}, false
	}
	t := times[0]
	idle := t.Idle + t.Iowait
	return sample{
		at:   time.Now(),
		all:  idle + t.User + t.Nice + t.System + t.Irq + t.Softirq + t.Steal, // guests are counted as user time already
		idle: idle, self: own.User + own.System,
	}, true
}
