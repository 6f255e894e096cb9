package isolated

import (
	"fmt"
	"time"
)

// Patience is how long a process may go without a sign, before it is taken for hung and ended. A sign is a batch that was computed,
// or a request that was taken or answered; while a model is read, a part of it; elsewhere that it is there.
//
// The slowest batch so far says what to expect of the next: a context that is longer by far and neighbours on all cores make one
// slower, and not 30 times. Time in which this process did not run, because it was stopped or the machine slept, counts as one tick.
type Patience struct {
	Tick  time.Duration // between looks
	Least time.Duration // the least that is waited
	First time.Duration // for the first batch, and for a part of the model
	Times int           // how often the time of the slowest batch is waited
}

// defaultPatience is what no sound engine was seen to need a tenth of.
var defaultPatience = Patience{Tick: time.Second, Least: 2 * time.Minute, First: 15 * time.Minute, Times: 30}

// phase is what a process is at.
type phase int

const (
	there      phase = iota // it answers
	reading                 // the model
	generating              // batches
)

// watch is one call's wait for signs.
type watch struct {
	Patience
	process *process
	phase   phase
	signs   int64
	without time.Duration // since the last sign
	slowest time.Duration // that was between two
}

func (p *process) watch(patience Patience, at phase) *watch {
	return &watch{Patience: patience, process: p, phase: at, signs: p.signs(at)}
}

// signs grow with each sign of getting on.
func (p *process) signs(at phase) int64 {
	n := p.batches.Load() + p.progress.Load()
	if at == there {
		n += p.beats.Load()
	}
	return n
}

// sign says that there was one.
func (w *watch) sign() { w.slowest, w.without = max(w.slowest, w.without), 0 }

// look is called each tick, and ends a process that hangs.
func (w *watch) look() {
	if now := w.process.signs(w.phase); now != w.signs {
		w.signs = now
		w.sign()
		return
	}
	w.without += w.Tick
	if limit := w.limit(); w.without > limit {
		w.process.kill(fmt.Sprintf("it hung: no sign of life for %s", limit.Round(w.Tick)))
	}
}

func (w *watch) limit() time.Duration {
	most := w.Least
	if w.phase == reading || w.phase == generating && w.process.batches.Load() == 0 {
		most = w.First
	}
	return max(most, time.Duration(w.Times)*w.slowest)
}
