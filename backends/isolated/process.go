package isolated

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"proctor/backends/child"
	"proctor/backends/llamacpp"
)

// process is an engine's process.
type process struct {
	*child.Process
	commands chan command
	events   chan event    // answers and callbacks; each is waited for
	gone     chan struct{} // closed when there will be none
	work     work
}

// start starts an engine's process, whose other events the options' functions get.
func start(options *llamacpp.Options) (*process, error) {
	started, err := child.Start(Task.Name)
	if err != nil {
		return nil, fmt.Errorf("the engine's process: %w", err)
	}
	p := &process{Process: started, commands: make(chan command, 8), events: make(chan event), gone: make(chan struct{})}
	go func() { // for a process that takes nothing any more must not stop this one
		for {
			select {
			case o := <-p.commands:
				if err := p.Send(o); err != nil {
					p.Kill(err.Error())
				}
			case <-p.gone:
				return
			}
		}
	}()
	go func() {
		defer close(p.gone)
		for {
			var r event
			if p.Receive(&r) != nil {
				return
			}
			switch r.What {
			case eventBeat:
				p.work.batches.Store(r.Batches)
				p.work.done.Store(r.Done)
			case eventProgress:
				p.work.progress.Add(1)
				if options.Progress != nil {
					options.Progress(r.Share)
				}
			case eventWarning:
				options.Warn(r.Text)
			case eventGaveUp:
				p.Kill(strings.TrimPrefix(r.Text, options.Path+": "))
			default:
				p.events <- r
			}
		}
	}()
	return p, nil
}

// command sends a command. Where the process is gone, nothing happens.
func (p *process) command(c command) {
	select {
	case p.commands <- c:
	case <-p.gone:
	}
}

// Patience is how long a process may go without a sign, before it is taken for hung and ended. A sign is work that was
// done: an operation or a batch that was computed, a part of the model that was read or hashed, a request that was
// taken or answered.
//
// The slowest work so far says what to expect of the next: a context that is longer by far and neighbours on all cores
// make it slower, and not 30 times. Time in which this process did not run, because it was stopped or the machine
// slept, counts as one tick.
type Patience struct {
	Tick  time.Duration // between looks
	Least time.Duration // the least that is waited
	First time.Duration // for the first batch, for a part of the model, and for a plan, which makes caches
	Each  time.Duration // that both are longer for each GiB of the model
	Times int           // how often the time of the slowest work is waited
}

// defaultPatience is ten times and more what any working engine was seen to need. On the slowest machines an operation
// of 70 billion parameters on 512 tokens takes half a minute; with GPUs nothing smaller than a batch gives a sign.
var defaultPatience = Patience{
	Tick: time.Second, Least: 2 * time.Minute, First: 15 * time.Minute, Each: time.Minute, Times: 30,
}

// with returns the patience where a model of the given size is read too.
func (p Patience) with(bytes int64) Patience {
	more := time.Duration(float64(p.Each) * float64(bytes) / (1 << 30))
	p.Least, p.First = p.Least+more, p.First+more
	return p
}

// phase is the kind of work that a process is doing; its patience depends on it.
type phase int

const (
	answering  phase = iota // a question that takes no computing
	reading                 // the model
	planning                // what to compute with, or how long that takes
	generating              // batches
)

// work is the progress that a process has reported.
type work struct {
	batches  atomic.Int64 // that were computed
	done     atomic.Int64 // all that it counts; see [event]
	progress atomic.Int64 // how many events of reading there were
	slowest  atomic.Int64 // nanoseconds that were between two signs
}

// signs grow with each sign of getting on.
func (w *work) signs() int64 { return w.done.Load() + w.progress.Load() }

// watch is one call's wait for signs.
type watch struct {
	Patience
	process *process
	phase   phase
	signs   int64
	without time.Duration // since the last sign
}

func (p *process) watch(patience Patience, at phase) *watch {
	return &watch{Patience: patience, process: p, phase: at, signs: p.work.signs()}
}

// sign notes a sign.
func (w *watch) sign() {
	slowest := &w.process.work.slowest
	slowest.Store(max(slowest.Load(), int64(w.without)))
	w.without = 0
}

// tick is called each tick, and ends a process that hangs.
func (w *watch) tick() {
	if now := w.process.work.signs(); now != w.signs {
		w.signs = now
		w.sign()
		return
	}
	w.without += w.Tick
	if limit := w.limit(); w.without > limit {
		w.process.Kill(fmt.Sprintf("it hung: no sign of life for %s", limit.Round(w.Tick)))
	}
}

func (w *watch) limit() time.Duration {
	most := w.Least
	if w.phase == reading || w.phase == planning || w.phase == generating && w.process.work.batches.Load() == 0 {
		most = w.First
	}
	return max(most, time.Duration(w.Times)*time.Duration(w.process.work.slowest.Load()))
}
