package llamacpp

import (
	"context"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends/machine"
)

func TestAForecastIsWhatThePlanComesTo(t *testing.T) {
	folder := t.TempDir()
	for _, calibrated := range []bool{false, true} { // the plan keeps a calibration, which the second forecast finds
		m := open(t, Options{Tune: true, Threads: 1, TuningFolder: folder})
		m.watch = &machine.Watch{} // other programs are in no calibration's way
		f, err := m.Forecast(context.Background(), long)
		assert.NilError(t, err)
		assert.Check(t, m.engine == nil, "memory was set aside")
		if f.Duration == 0 || f.Rough == calibrated || f.Rough != (f.Calibration == "") || f.Source == "" || f.Duration > 1000*time.Hour {
			t.Errorf("%v by %q, calibration %q", f.Duration, f.Source, f.Calibration)
		}
		a, err := m.Plan(context.Background(), long)
		assert.NilError(t, err)
		if f.Context != a.Context || calibrated && (f.Slots != a.Slots || f.Total() != a.Total() || f.Description != a.Description) {
			t.Errorf("%+v, the plan is %+v", f, a)
		}
		assert.NilError(t, m.Close())
		_, err = m.Forecast(context.Background(), long)
		assert.Check(t, err != nil, "a closed model foresees")
	}
	m := open(t, Options{Threads: 1, Context: 256})
	f, err := m.Forecast(context.Background(), long)
	assert.Check(t, err != nil, "a context that is too small comes to %+v", f)
}
