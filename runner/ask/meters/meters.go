// Package meters reads, while a run asks, what other programs take of this machine's CPUs and what energy the machine takes. Each
// reading goes into the journal with the line that is written next.
package meters

import (
	"time"

	"proctor/backends"
	"proctor/runner/journal"
)

// othersWindow is how long other programs are watched before a record tells of them: the system counts CPU time in hundredths
// of a second.
const othersWindow = time.Second

// Others watches what other programs take of the CPUs while a run asks.
type Others struct {
	model backends.Neighbour
	last  time.Time
}

// BesideOthers begins to watch; it is nil for a model that does not compute here.
func BesideOthers(model backends.Model) *Others {
	neighbour, here := model.(backends.Neighbour)
	if !here {
		return nil
	}
	neighbour.Others()
	return &Others{neighbour, time.Now()}
}

// Since is what others took since it told it last; nil where that is too short a time, or not known.
func (o *Others) Since() *journal.Others {
	if o == nil {
		return nil
	}
	over := time.Since(o.last)
	if over < othersWindow {
		return nil
	}
	o.last = o.last.Add(over)
	share, known := o.model.Others()
	if !known {
		return nil
	}
	return &journal.Others{Share: share, Over: over}
}

// Between two lines that tell of energy lies this time at least; counters step a thousand times a second. The last line of all tells
// of what is left.
const (
	energyWindow = time.Second
	energyRest   = 50 * time.Millisecond
)

// Energy reads the energy that the machine takes while a run asks.
type Energy struct {
	since func() (joules float64, known bool)
	last  time.Time
}

// Reading begins to read what a model takes; nil where there is nothing to read. what is for the journal, nil where nobody reads.
func Reading(read func(gpus bool) backends.Energy, model backends.Model, engine *backends.EngineInfo) (e *Energy, what *journal.EnergySource) {
	if read == nil {
		return nil, nil
	}
	if _, here := model.(backends.Neighbour); !here {
		return nil, &journal.EnergySource{Unread: "the model is not computed by this process"}
	}
	energy := read(engine.GPULayers > 0)
	what = &journal.EnergySource{Counters: energy.Counters, Unread: energy.Unread}
	if energy.Since == nil {
		return nil, what
	}
	energy.Since()
	return &Energy{energy.Since, time.Now()}, what
}

// Taken is the energy since it told of it last; nil where that is too short a time, or not known. last says that nothing else is
// being asked.
func (e *Energy) Taken(last bool) *journal.Energy {
	if e == nil {
		return nil
	}
	over := time.Since(e.last)
	if over < energyRest || over < energyWindow && !last {
		return nil
	}
	e.last = e.last.Add(over)
	joules, known := e.since()
	if !known {
		return nil
	}
	return &journal.Energy{Joules: joules, Over: over}
}
