package llamacpp

import (
	"fmt"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// A pool is memory that an allocation takes from, in bytes.
type pool struct {
	gpu        string // whose it is; empty for the machine's
	need, free int64  // free is 0 where unknown
}

// pools are the machine's memory and that of the GPUs, always in the same order.
func pools(a backends.Allocation) []pool {
	machine := pool{"", a.Total(), a.Available}
	var all []pool
	for _, d := range a.Devices {
		if d.Shared {
			machine.need += d.Total()
		}
		all = append(all, pool{d.Name, d.Total(), d.Available})
	}
	return append([]pool{machine}, all...)
}

func (p pool) fits() bool { return fitsInto(p.need, p.free) }

// fitsInto says whether memory is there, as far as is known.
func fitsInto(need, free int64) bool { return free == 0 || float64(need) <= headroom*float64(free) }

// String says what is needed and what there is, as the end of a sentence.
func (p pool) String() string {
	if p.gpu == "" {
		return fmt.Sprintf("need %s, %s of memory are free", bytesText(p.need), bytesText(p.free))
	}
	return fmt.Sprintf("need %s on %s, %s are free there", bytesText(p.need), p.gpu, bytesText(p.free))
}

// short returns the first pool that has too little for the settings.
func (m *Model) short(s engine.Settings) (lacking pool, lacks bool) {
	for _, p := range pools(m.allocate(s)) {
		if !p.fits() {
			return p, true
		}
	}
	return pool{}, false
}

// fits says whether the memory is there.
func (m *Model) fits(s engine.Settings) bool {
	_, lacks := m.short(s)
	return !lacks
}
