package machine

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/process"

	"proctor/backends"
)

// An engine's threads wait for each other hundreds of times a token, and they spin while they wait. One that shares its
// core with another program makes all of them slow: by ten and more times, measured. So an engine computes on as many
// threads as there are cores left.

const (
	window      = time.Second            // time over which other programs are watched
	firstWindow = 100 * time.Millisecond // and before the first decode
)

// A Watch follows how much other programs use of the CPUs that this process may use: a batch system, taskset or a container may
// leave it few of the machine's, and what others do on the rest is not in its way. The zero Watch is that of a system that does not
// tell. Several goroutines may use it.
type Watch struct {
	cpus   int
	sample func() (sample, bool) // nil where the system does not report it

	mu     sync.Mutex
	last   sample // when it was decided last how many threads to compute on
	window time.Duration
	others float64 // CPUs that other programs kept busy then
	used   []int   // how often each number of threads was the one to compute on
}

// sample is the CPU time that was spent by a moment, in seconds.
type sample struct {
	at              time.Time
	all, idle, self float64 // of the CPUs together; of them, nothing was done in; of this process
}

// NewWatch begins to watch.
func NewWatch() *Watch {
	times, _ := cpu.Times(true)
	own := ofProcess(times, affinity())
	first, known := takeSample(own)
	if !known {
		return &Watch{}
	}
	return &Watch{cpus: len(own), sample: func() (sample, bool) { return takeSample(own) }, last: first, window: firstWindow}
}

// Threads returns on how many threads to compute now, at most the given ones. The load is measured at most once a second.
func (w *Watch) Threads(most int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	threads := most
	if w.sample != nil {
		w.look()
		threads = max(1, min(most, int(float64(w.cpus)-w.others+backends.Crowding)))
	}
	w.used = append(w.used, make([]int, max(0, threads+1-len(w.used)))...)
	w.used[threads]++
	return threads
}

// look sees what others do, where it is time to.
func (w *Watch) look() {
	if w.window == firstWindow {
		time.Sleep(w.window - time.Since(w.last.at))
	}
	if time.Since(w.last.at) < w.window {
		return
	}
	if after, known := w.sample(); known {
		w.others, w.last = w.between(w.last, after), after
	}
	w.window = window
}

// between is how many CPUs other programs kept busy from one sample to the next.
func (w *Watch) between(before, after sample) float64 {
	all, took := after.all-before.all, after.at.Sub(before.at).Seconds()
	if all <= 0 || took <= 0 {
		return 0
	}
	busy := (all - (after.idle - before.idle)) / all * float64(w.cpus)
	return max(0, busy-(after.self-before.self)/took)
}

// A Mark is a moment of a watch; the zero Mark is none yet.
type Mark struct {
	sample
	used []int
}

// Since moves the mark to now and returns what happened since it: the zero Load where the system does not tell, and where it was none
// yet. The system counts in hundredths of a second: after less than a second the share is rough.
func (w *Watch) Since(m *Mark) (l backends.Load) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, known := *m, false
	if w.sample != nil {
		m.sample, known = w.sample()
		m.used = slices.Clone(w.used)
	}
	if !known || before.at.IsZero() {
		return l
	}
	l.CPUs, l.Share = w.cpus, min(1, w.between(before.sample, m.sample)/float64(w.cpus))
	before.used = append(before.used, make([]int, len(w.used)-len(before.used))...)
	for threads, n := range w.used {
		if n > before.used[threads] {
			l.Computing(threads)
		}
	}
	return l
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
