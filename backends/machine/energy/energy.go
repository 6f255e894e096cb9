package energy

import (
	"strings"

	"proctor/backends"
)

// A counter counts microjoules.
type counter struct {
	name string
	// read returns the count, and what it goes up to before it begins at 0 again; 0 where it never does.
	read func() (count, most uint64, err error)
}

// management is the name of NVIDIA's management library on Linux, which its driver brings.
const management = "libnvidia-ml.so.1"

// Of reads the processors' counters below a powercap folder, and with gpus those of NVIDIA's GPUs too.
func Of(powercap string, gpus bool) backends.Energy {
	counters, why := zones(powercap)
	unread := []string{why}
	if gpus {
		devices, why := nvidia(management)
		counters, unread = append(counters, devices...), append(unread, why)
	}
	var e backends.Energy
	for _, c := range counters {
		e.Counters = append(e.Counters, c.name)
	}
	for _, why := range unread {
		if why != "" {
			e.Unread = strings.TrimPrefix(e.Unread+"; "+why, "; ")
		}
	}
	if len(counters) > 0 {
		e.Since = (&meter{counters: counters}).since
	}
	return e
}

// A meter adds up counters.
type meter struct {
	counters []counter
	last     []uint64 // what each of them stood at; nil before the first time, and after one failed
}

// since is [backends.Energy.Since].
func (m *meter) since() (joules float64, known bool) {
	now, most := make([]uint64, len(m.counters)), make([]uint64, len(m.counters))
	for i, c := range m.counters {
		var err error
		if now[i], most[i], err = c.read(); err != nil {
			m.last = nil
			return 0, false
		}
	}
	last := m.last
	m.last = now
	if last == nil {
		return 0, false
	}
	for i := range now {
		taken := now[i] - last[i]
		if now[i] < last[i] { // it began again
			if most[i] == 0 {
				return 0, false
			}
			taken = most[i] - last[i] + now[i]
		}
		joules += float64(taken) / 1e6
	}
	return joules, true
}
