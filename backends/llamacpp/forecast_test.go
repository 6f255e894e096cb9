package llamacpp

import (
	"context"
	"testing"
	"time"

	"proctor/backends/machine"
)

func TestAForecastIsWhatThePlanComesTo(t *testing.T) {
	folder := t.TempDir()
	for _, calibrated := range []bool{false, true} { // the plan keeps a calibration, which the second forecast finds
		m := open(t, Options{Tune: true, Threads: 1, TuningFolder: folder})
		m.watch = &machine.Watch{} // other programs are in no calibration's way
		f, err := m.Forecast(context.Background(), long)
		if err != nil {
			t.Fatal(err)
		}
		if m.engine != nil {
			t.Error("memory was set aside")
		}
		if f.Duration == 0 || f.Rough == calibrated || f.Rough != (f.Calibration == "") || f.Source == "" || f.Duration > 1000*time.Hour {
			t.Errorf("%v by %q, calibration %q", f.Duration, f.Source, f.Calibration)
		}
		a, err := m.Plan(context.Background(), long)
		if err != nil {
			t.Fatal(err)
		}
		if f.Context != a.Context || calibrated && (f.Slots != a.Slots || f.Total() != a.Total() || f.Description != a.Description) {
			t.Errorf("%+v, the plan is %+v", f, a)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Forecast(context.Background(), long); err == nil {
			t.Error("a closed model foresees")
		}
	}
	m := open(t, Options{Threads: 1, Context: 256})
	if f, err := m.Forecast(context.Background(), long); err == nil {
		t.Errorf("a context that is too small comes to %+v", f)
	}
}
