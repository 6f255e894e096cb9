package memory

import (
	"fmt"
	"sort"

	"github.com/dustin/go-humanize"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// A pool is memory that an allocation takes from, in bytes.
type pool struct {
	gpu        string // whose it is; empty for the machine's
	need, free int64  // free is 0 where unknown
	lacks      string // what the machine has, as the end of a sentence
}

// pools are the memory of the machine and of the GPUs, always in the same order.
func (p *Planner) pools(a backends.Allocation) []pool {
	machine := pool{need: a.Total(), free: a.Available}
	var all []pool
	for _, d := range a.Devices {
		if d.Shared {
			machine.need += d.Total()
		}
		all = append(all, pool{gpu: d.Name, need: d.Total(), free: d.Available})
	}
	machine.lacks = p.free(machine.need)
	return append([]pool{machine}, all...)
}

func (p pool) fits() bool { return fitsInto(p.need, p.free) }

// free says, as the end of a sentence, how much of the machine's memory is free where that is less than needed.
func (p *Planner) free(need int64) string {
	if p.Limit != nil {
		if limit := p.Limit(int64(float64(need) / headroom)); limit != "" {
			return limit
		}
	}
	return size(p.Available) + " of memory are free" + leftAlone(need, p.Available)
}

// headroom is the share of the free memory that is used at most.
const headroom = 0.9

// fitsInto says whether memory suffices; unknown memory does.
func fitsInto(need, free int64) bool { return free == 0 || float64(need) <= headroom*float64(free) }

// leftAlone says, as the end of a sentence, that a part of the memory is kept free.
func leftAlone(need, free int64) string {
	if need > free {
		return ""
	}
	return ", a tenth of it kept free"
}

// String says what is needed and what there is, as the end of a sentence.
func (p pool) String() string {
	if p.gpu == "" {
		return fmt.Sprintf("need %s, %s", size(p.need), p.lacks)
	}
	return fmt.Sprintf("need %s on %s, %s are free there%s", size(p.need), p.gpu, size(p.free), leftAlone(p.need, p.free))
}

// short returns the first pool that has too little for the settings.
func (p *Planner) short(s engine.Settings) (lacking pool, lacks bool) {
	for _, pool := range p.pools(p.Allocate(s)) {
		if !pool.fits() {
			return pool, true
		}
	}
	return pool{}, false
}

// Lacks says what is needed for the settings and what there is, as the end of a sentence, where that is too little.
func (p *Planner) Lacks(s engine.Settings) (what string, lacks bool) {
	lacking, lacks := p.short(s)
	return lacking.String(), lacks
}

// Fits says whether the memory is there.
func (p *Planner) Fits(s engine.Settings) bool {
	_, lacks := p.short(s)
	return !lacks
}

// Fitting returns the largest context, up to the settings', that fits the memory; 0 for none.
func (p *Planner) Fitting(s engine.Settings) int {
	step := engine.Cells(1)
	return step * sort.Search(s.Context/step, func(steps int) bool {
		s.Context = (steps + 1) * step
		return !p.Fits(s)
	})
}

// size is a number of bytes, for people.
func size(n int64) string { return humanize.IBytes(uint64(n)) }
