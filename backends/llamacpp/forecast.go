package llamacpp

import (
	"context"

	"proctor/backends"
	"proctor/backends/llamacpp/memory"
)

var _ backends.Forecaster = (*Model)(nil)

// Forecast implements [backends.Forecaster]. How long a run takes it knows from the calibration that an earlier run kept.
func (m *Model) Forecast(ctx context.Context, w backends.Workload) (backends.Forecast, error) {
	if m.closed {
		return backends.Forecast{}, ErrClosed
	}
	f, err := m.forecast(ctx, w)
	if err != nil {
		return f, err
	}
	return f, nil
}

func (m *Model) forecast(ctx context.Context, w backends.Workload) (f backends.Forecast, err error) {
	s, fit, err := m.memory.Settings(w, m.asked)
	if err != nil {
		return f, err
	}
	f.Source = "no calibration was kept for this: a run of minutes begins with one"
	calibration := ""
	switch {
	case !m.options.Tune || w.PromptTokens == 0:
		f.Source = "this run is not calibrated"
	default:
		search, err := m.search(ctx, w, s, fit)
		if err != nil {
			return f, err
		}
		if changed, stored := search.Stored(); stored != nil {
			s, calibration = changed, stored.String()
			f.Duration, f.Source = stored.Expected(w), stored.String()
		}
	}
	f.Allocation = m.memory.Allocate(s)
	f.Calibration = calibration
	f.Told = memory.Describe(f.Allocation, s)
	return f, nil
}
