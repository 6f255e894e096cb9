package ollama

import (
	"context"
	"time"

	"proctor/backends"
	"proctor/backends/servers"
)

// probeMost is how many requests at a time the probe tries at most.
const probeMost = 8

// tune sets the server's limit to what is fastest.
func (m *Model) tune(ctx context.Context, s *server, w backends.Workload) error {
	most := probeMost
	if w.Requests > 0 {
		most = min(most, w.Requests)
	}
	limit, err := servers.Fastest(most, func(n int) (float64, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, m.options.Deadline, servers.ErrLate)
		defer cancel()
		return servers.Rate(ctx, n, m.context, func(ctx context.Context, r backends.Request) (int, error) {
			tokens := 0
			err := m.pool.Ask(ctx, s, func(s *server) error {
				a, err := m.ask(ctx, s, &servers.Request{Pulled: time.Now(), Request: r})
				if err == nil {
					tokens = a.metrics.EvalCount
				}
				return err
			})
			return tokens, err
		})
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		m.warn("ollama: the probe of %s failed, it gets %d at a time: %s", s.Name(), limit, servers.OneLine(err))
	}
	m.pool.SetLimit(s, limit)
	return nil
}
