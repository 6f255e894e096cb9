package backends

import (
	"fmt"

	"github.com/dustin/go-humanize/english"
)

// A Load is the CPU time that other programs used beside a model, and the threads that it computed on meanwhile. The zero Load is unknown.
type Load struct {
	Share         float64 `json:"cpu_share"`               // of the CPUs that the model may use, from 0 to 1
	CPUs          int     `json:"cpus"`                    // that it may use
	FewestThreads int     `json:"threads_least,omitempty"` // 0: none, or as many as people gave it
	MostThreads   int     `json:"threads_most,omitempty"`
}

// Computing adds a number of threads that the model computed on; 0 adds nothing.
func (l *Load) Computing(threads int) {
	if l.FewestThreads == 0 || 0 < threads && threads < l.FewestThreads {
		l.FewestThreads = threads
	}
	l.MostThreads = max(l.MostThreads, threads)
}

// LoadOf returns what other programs did beside a model since the last call. It is zero the first time, and where that is not known: the
// model does not compute here, or the system does not report it.
func LoadOf(m Model) Load {
	if neighbour, here := m.(LoadReporter); here {
		return neighbour.Others()
	}
	return Load{}
}

// Crowding is how much of a core other programs may take before an engine gives up a thread for them.
const Crowding = 0.4

// busyShare is the share of the CPUs above which other programs are said to be in the way: more than a system at rest takes.
const busyShare = 0.05

// Busy says whether other programs took so much that speeds are those of a shared machine.
func (l Load) Busy() bool { return l.Share > busyShare }

// Crowded says whether other programs took so much that they decide how fast the model is.
func (l Load) Crowded() bool { return l.Share*float64(l.CPUs) > Crowding }

// Taken says how much other programs took: 1.1 of 2 cores.
func (l Load) Taken() string {
	return fmt.Sprintf("%.1f of %s", l.Share*float64(l.CPUs), english.Plural(l.CPUs, "core", ""))
}

// Computed says on how many threads the model computed, as the end of a sentence: "; computed on 1 to 2 threads". It is empty where the
// model had no choice.
func (l Load) Computed() string {
	switch {
	case l.MostThreads == 0:
		return ""
	case l.FewestThreads < l.MostThreads:
		return fmt.Sprintf("; computed on %d to %d threads", l.FewestThreads, l.MostThreads)
	}
	return "; computed on " + english.Plural(l.MostThreads, "thread", "")
}

// String combines Taken and Computed.
func (l Load) String() string { return "other programs took " + l.Taken() + l.Computed() }
