package ollama

import (
	"context"
	"fmt"

	"proctor/backends"
)

var _ backends.Forecaster = (*Model)(nil)

// Forecast implements [backends.Forecaster]. It sends the servers nothing.
func (m *Model) Forecast(_ context.Context, w backends.Workload) (backends.Forecast, error) {
	if m.closed {
		return backends.Forecast{}, backends.ErrClosed
	}
	if err := m.planContext(w); err != nil {
		return backends.Forecast{}, err
	}
	f := backends.Forecast{Source: "a server's speed is not known before it is asked"}
	f.Context, f.Weights = m.room(), m.facts.info.SizeBytes
	f.Slots = m.options.Concurrency * len(m.pool.Servers)
	f.Description = fmt.Sprintf("num_ctx %d; the server sets memory aside when it loads the model", f.Context)
	if f.Slots == 0 {
		f.Description += "; a short probe finds how many requests at a time are fastest"
	}
	return f, nil
}
