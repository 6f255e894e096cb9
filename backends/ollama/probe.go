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
	return m.pool.Tune(ctx, s, probeMost, w.Requests, m.context, func(ctx context.Context, r backends.Request) (int, error) {
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
}
