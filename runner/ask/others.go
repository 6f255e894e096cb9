package ask

import (
	"time"

	"proctor/backends"
	"proctor/runner/journal"
)

// othersWindow is how long other programs are watched before a record tells of them: the system counts CPU time in hundredths
// of a second.
const othersWindow = time.Second

// others watches what other programs take of the CPUs while a run asks. Each reading goes into the journal with the line that is written
// next.
type others struct {
	model backends.Model
	last  time.Time
}

// besideOthers begins to watch.
func besideOthers(model backends.Model) *others {
	backends.LoadOf(model)
	return &others{model, time.Now()}
}

// since is what others took since it told it last; nil where that is too short a time, or not known.
func (o *others) since() *journal.Others {
	if o == nil {
		return nil
	}
	over := time.Since(o.last)
	if over < othersWindow {
		return nil
	}
	o.last = o.last.Add(over)
	load := backends.LoadOf(o.model)
	if load.CPUs == 0 {
		return nil
	}
	return &journal.Others{Share: load.Share, Over: over, Threads: load.FewestThreads}
}
