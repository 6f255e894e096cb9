package llamacpp

import (
	"context"

	"proctor/backends"
	"proctor/backends/llamacpp/memory"
	"proctor/backends/llamacpp/tune"
)

var _ backends.Forecaster = (*Model)(nil)

// Forecast implements [backends.Forecaster]. How long a run takes it knows from the calibration that an earlier run kept, else from a
// second's measurement.
func (m *Model) Forecast(ctx context.Context, w backends.Workload) (f backends.Forecast, err error) {
	if m.closed {
		return f, backends.ErrClosed
	}
	s, fit, err := m.memory.Settings(w, m.requested)
	if err != nil {
		return f, err
	}
	f.Source = "the prompts' length is unknown"
	calibration := ""
	if w.PromptTokens > 0 {
		search, err := m.search(ctx, w, s, fit)
		if err != nil {
			return f, err
		}
		var pace tune.Pace
		if changed, stored := search.Stored(); m.options.Tune && !m.options.keepsBits() && stored != nil {
			pace, s, calibration, f.Source = stored.Pace, changed, stored.String(), tune.Assuming(stored.String(), w)
		} else if pace, err = search.Rough(ctx); err != nil {
			return f, err
		} else {
			f.Rough, f.Source = true, tune.Assuming(pace.String(), w)
		}
		f.Duration, f.Prefill, f.Decode = pace.Expected(w), pace.Prefill, pace.Decode
	}
	f.Allocation = m.memory.Allocate(s)
	f.Calibration = calibration
	f.Description = memory.Describe(f.Allocation, s)
	return f, nil
}
