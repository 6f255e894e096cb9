package llamacpp

import (
	"context"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/memory"
	"proctor/backends/llamacpp/tune"
	"proctor/backends/machine"
)

var _ backends.Forecaster = (*Model)(nil)

// Forecast implements [backends.Forecaster]. How long a run takes it knows from a second's measurement.
func (m *Model) Forecast(ctx context.Context, w backends.Workload) (f backends.Forecast, err error) {
	if m.closed {
		return f, backends.ErrClosed
	}
	s, err := m.memory.Settings(w, m.requested)
	if err != nil {
		return f, err
	}
	m.memory.Resident = machine.Resident()
	f.Source = "the prompts' length is unknown"
	if w.PromptTokens > 0 {
		if _, err := m.digest.wait(ctx); err != nil { // it would compute beside the measurement
			return f, err
		}
		pace, err := tune.Rough(ctx, w, s, func(s engine.Settings) (*tune.Feed, func(), error) {
			e, err := m.weights.NewEngine(s)
			if err != nil {
				return nil, nil, err
			}
			return tune.NewFeed(e, m.weights), e.Close, nil
		})
		if err != nil {
			return f, err
		}
		f.Rough, f.Source, f.Duration = true, pace.Source(w), pace.Expected(w)
		f.Prefill, f.Decode = pace.Prefill, pace.Decode
	}
	f.Allocation = m.memory.Allocate(s)
	f.Description = memory.Describe(f.Allocation, s)
	return f, nil
}
