package llamacpp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/machine"
)

// long is a run that takes far more than a minute on any machine.
var long = backends.Workload{Requests: 1e6, PromptTokens: 300, UniqueTokens: 60e6, MaxTokens: 100}

func TestALongRunIsCalibratedOnceAndRemembersIt(t *testing.T) {
	folder := t.TempDir()
	planned := func(requests int) (*Model, backends.Allocation) {
		m, work := open(t, Options{Tune: true, TuningFolder: folder, Threads: 1}), long
		m.watch = &machine.Watch{} // other programs are in no calibration's way
		work.Requests = requests
		a, err := m.Plan(context.Background(), work)
		assert.NilError(t, err)
		return m, a
	}
	m, first := planned(long.Requests)
	kept, _ := filepath.Glob(filepath.Join(folder, "tuning-*.json"))
	assert.Assert(t, strings.HasPrefix(first.Calibration, "calibrated in ") && len(kept) == 1,
		"the first run says %q, %d files are kept", first.Calibration, len(kept))
	info := m.settings.EngineInfo
	assert.Check(t, info.Slots == first.Slots && info.Slots >= 2, "%d slots in use, %d set aside", info.Slots, first.Slots)
	if _, second := planned(long.Requests); !strings.HasPrefix(second.Calibration, "calibrated before") || second.Slots != first.Slots {
		t.Errorf("the second run says %q with %d slots, the first one had %d", second.Calibration, second.Slots, first.Slots)
	}
	_, third := planned(3)
	assert.Check(t, third.Slots == 3, "%d slots for 3 requests", third.Slots)
	assert.NilError(t, os.WriteFile(kept[0], []byte("{"), 0o644))
	_, again := planned(long.Requests)
	assert.Check(t, strings.HasPrefix(again.Calibration, "calibrated in "), "over a damaged file: %q", again.Calibration)
}

func TestWhatIsCalibrated(t *testing.T) {
	like := &backends.EngineInfo{Slots: 5, Batch: 512, Microbatch: 256, KVUnified: true, Kernels: KernelsGGML}
	short := backends.Workload{Requests: 2, PromptTokens: 50, MaxTokens: 5}
	for name, test := range map[string]struct {
		options Options
		work    backends.Workload
		slots   int
		is      bool
	}{
		"a short run":                        {Options{Tune: true}, short, 2, false},
		"one slot, the reference":            {Options{Tune: true, Slots: 1}, long, 1, false},
		"a run that goes on":                 {Options{Tune: true, Like: like}, long, 5, false},
		"where calibration is not asked for": {Options{Slots: 3}, long, 3, false},
		"slots that were asked for":          {Options{Tune: true, Slots: 3}, long, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.Threads, test.options.TuningFolder = 1, t.TempDir()
			m := open(t, test.options)
			m.watch = &machine.Watch{}
			a, err := m.Plan(context.Background(), test.work)
			assert.NilError(t, err)
			if kept, _ := os.ReadDir(test.options.TuningFolder); (a.Calibration != "") != test.is || (len(kept) > 0) != test.is || a.Slots != test.slots {
				t.Errorf("%d slots, calibration %q, %d files kept", a.Slots, a.Calibration, len(kept))
			}
			if like := test.options.Like; like != nil {
				info := m.settings.EngineInfo
				if info.Microbatch != like.Microbatch || info.KVUnified != like.KVUnified ||
					info.FlashAttention != like.FlashAttention || info.Kernels != like.Kernels {
					t.Errorf("%+v does not go on as %+v", info, like)
				}
			}
		})
	}
}

func TestACalibrationEndsWithItsContext(t *testing.T) {
	m := open(t, Options{Tune: true, Threads: 1})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := m.Plan(ctx, long)
	assert.Check(t, err != nil, "no error")
}
