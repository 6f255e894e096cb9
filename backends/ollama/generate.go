package ollama

import (
	"context"
	"iter"
	"time"

	"proctor/backends"
	"proctor/backends/inflight"
)

// Generate implements [backends.Model].
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return ErrClosed
	}
	m.fixContext()
	stop := m.pool.Start(ctx)
	defer func() {
		stop()
		m.transport.CloseIdleConnections()
	}()
	watch := m.watch()
	take := func(r backends.Request) (func(context.Context) (outcome, error), error) {
		taken := &request{Request: r, pulled: time.Now()}
		refused, err := m.accept(taken)
		return func(ctx context.Context) (outcome, error) {
			if refused != nil {
				return outcome{Completion: *refused, refused: true}, nil
			}
			return m.complete(ctx, taken)
		}, err
	}
	return inflight.Run(ctx, requests, m.pool.Room(), take, func(o outcome) error {
		if err := done(o.Completion); err != nil || o.refused {
			return err
		}
		return watch.See(o.failed != nil && o.failed.Cause == backends.CauseTruncated, o.failed)
	})
}
