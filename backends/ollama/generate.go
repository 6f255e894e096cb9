package ollama

import (
	"context"
	"iter"
	"sync"
	"time"

	"proctor/backends"
)

// Generate implements [backends.Model].
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return ErrClosed
	}
	m.fixContext()
	asking, cancel := context.WithCancel(ctx)
	stop := m.pool.start(asking)
	var flying sync.WaitGroup
	defer func() {
		cancel()
		flying.Wait()
		stop()
		m.transport.CloseIdleConnections()
	}()
	next, end := iter.Pull(requests)
	defer end()
	type result struct {
		outcome
		err error
	}
	room := m.pool.room()
	results := make(chan result, room)
	watch := truncations{context: m.context}
	for inFlight, more := 0, true; more || inFlight > 0; {
		for more && inFlight < room {
			if err := ctx.Err(); err != nil {
				return err
			}
			var r backends.Request
			if r, more = next(); !more {
				break
			}
			taken := &request{Request: r, pulled: time.Now()}
			refused, err := m.accept(taken)
			if err != nil {
				return err
			}
			if refused != nil {
				if err := done(*refused); err != nil {
					return err
				}
				continue
			}
			inFlight++
			flying.Go(func() {
				c, err := m.complete(asking, taken)
				results <- result{c, err}
			})
		}
		if inFlight == 0 {
			break
		}
		select {
		case o := <-results:
			inFlight--
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if o.err != nil {
				return o.err
			}
			if err := done(o.Completion); err != nil {
				return err
			}
			if err := watch.see(&o.outcome); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}
