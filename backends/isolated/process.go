package isolated

import (
	"fmt"
	"strings"

	"proctor/backends/child"
	"proctor/backends/llamacpp"
)

// process is an engine's process.
type process struct {
	*child.Process
	orders  chan order
	reports chan report   // answers and wishes; each is waited for
	gone    chan struct{} // closed when there will be none
	work    work
}

// start starts an engine's process, whose news the options' functions get.
func start(options *llamacpp.Options) (*process, error) {
	started, err := child.Start(Task.Name)
	if err != nil {
		return nil, fmt.Errorf("the engine's process: %w", err)
	}
	p := &process{Process: started, orders: make(chan order, 8), reports: make(chan report), gone: make(chan struct{})}
	go func() { // for a process that takes nothing any more must not stop this one
		for {
			select {
			case o := <-p.orders:
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
			var r report
			if p.Receive(&r) != nil {
				return
			}
			switch r.What {
			case newsBeat:
				p.work.batches.Store(r.Batches)
				p.work.done.Store(r.Done)
			case newsProgress:
				p.work.progress.Add(1)
				if options.Progress != nil {
					options.Progress(r.Share)
				}
			case newsWarning:
				if options.Warn != nil {
					options.Warn(r.Text)
				}
			case newsGaveUp:
				p.Kill(strings.TrimPrefix(r.Text, options.Path+": "))
			default:
				p.reports <- r
			}
		}
	}()
	return p, nil
}

// order sends an order. Where the process is gone, nothing happens.
func (p *process) order(o order) {
	select {
	case p.orders <- o:
	case <-p.gone:
	}
}
