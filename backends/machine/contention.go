package machine

import (
	"os"
	"slices"
	"strconv"
	"strings"
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

// Contention watches how much other programs use of the CPUs that this process may use: a batch system, taskset or a container
// may leave it few of the machine's, and what others do on the rest is not in its way.
type Contention struct {
	usage
	most, now int // threads
	window    time.Duration
}

// usage is what programs use of the CPUs that this process may use, from one sample to the next.
type usage struct {
	cpus   int
	last   sample
	sample func() (sample, bool)
}

// sample is the CPU time that was spent by a moment, in seconds.
type sample struct {
	at              time.Time
	all, idle, self float64 // of the CPUs together; of them, nothing was done in; of this process
}

// Watch begins to watch on behalf of an engine that computes on at most the given threads. It returns nil where the engine has none to
// spare, or the system does not show its load.
func Watch(threads int) *Contention {
	if threads == 1 {
		return nil
	}
	use, known := usageNow()
	if !known {
		return nil
	}
	time.Sleep(firstWindow)
	return &Contention{usage: use, most: threads, now: threads, window: firstWindow}
}

// usageNow begins to watch.
func usageNow() (u usage, known bool) {
	times, err := cpu.Times(true)
	if err != nil {
		return u, false
	}
	own := ofProcess(times, affinity())
	u.cpus, u.sample = len(own), func() (sample, bool) { return takeSample(own) }
	u.last, known = u.sample()
	return u, known
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
func (u *usage) others(after sample) float64 {
	all, took := after.all-u.last.all, after.at.Sub(u.last.at).Seconds()
	if all <= 0 || took <= 0 {
		return 0
	}
	busy := (all - (after.idle - u.last.idle)) / all * float64(u.cpus)
	return max(0, busy-(after.self-u.last.self)/took)
}

// beside is how many threads fit beside the CPUs that others keep busy.
func (c *Contention) beside(others float64) int {
	return max(1, min(c.most, int(float64(c.cpus)-others+spareShare)))
}

// ofProcess are the names of the CPUs among times that are allowed; of all, where no list of them is known.
func ofProcess(times []cpu.TimesStat, allowed []int) []string {
	var names []string
	for _, t := range times {
		number, err := strconv.Atoi(strings.TrimPrefix(t.CPU, "cpu"))
		if len(allowed) == 0 || err == nil && slices.Contains(allowed, number) {
			names = append(names, t.CPU)
		}
	}
	return names
}

// takeSample reads the system's counters of the CPUs named and this process's own; false where they are not to be had.
func takeSample(cpus []string) (sample, bool) {
	times, err := cpu.Times(true)
	if err != nil {
		return sample{}, false
	}
	own, err := (&process.Process{Pid: int32(os.Getpid())}).Times()
	if err != nil {
		return sample{}, false
	}
	all, idle, known := spent(times, cpus)
	return sample{at: time.Now(), all: all, idle: idle, self: own.User + own.System}, known
}

// spent adds up the times of the CPUs named; false where one is missing.
func spent(times []cpu.TimesStat, cpus []string) (all, idle float64, known bool) {
	found := 0
	for _, t := range times {
		if !slices.Contains(cpus, t.CPU) {
			continue
		}
		found++
		waited := t.Idle + t.Iowait
		idle += waited
		all += waited + t.User + t.Nice + t.System + t.Irq + t.Softirq + t.Steal // guests are counted as user time already
	}
	return all, idle, found > 0 && found == len(cpus)
}

// A Monitor tells how much other programs take of the CPUs that this process may use. It is used by one goroutine.
type Monitor struct {
	usage usage
	known bool
}

// NewMonitor begins to watch.
func NewMonitor() *Monitor {
	m := &Monitor{}
	m.usage, m.known = usageNow()
	return m
}

// Others returns the share of the CPUs' time that other programs took since the last call, or since the monitor began, from 0
// to 1; false where the system does not tell. The system counts in hundredths of a second: after less than a second the share
// is rough.
func (m *Monitor) Others() (share float64, known bool) {
	if !m.known {
		return 0, false
	}
	after, known := m.usage.sample()
	if !known {
		return 0, false
	}
	share = min(1, m.usage.others(after)/float64(m.usage.cpus))
	m.usage.last = after
	return share, true
}
