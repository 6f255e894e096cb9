package machine

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
