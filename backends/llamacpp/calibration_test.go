package llamacpp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"proctor/backends"
)

// long is a run that takes far more than a minute on any machine.
var long = backends.Workload{Requests: 1e6, PromptTokens: 300, UniqueTokens: 60e6, MaxTokens: 100}

func TestALongRunIsCalibratedOnceAndRemembersIt(t *testing.T) {
	folder := t.TempDir()
	m := open(t, Options{Tune: true, TuningFolder: folder, Threads: 1})
	first, err := m.Plan(context.Background(), long)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(first.Calibration, "calibrated in ") {
		t.Errorf("the first run says %q", first.Calibration)
	}
	kept, _ := filepath.Glob(filepath.Join(folder, "tuning-*.json"))
	if len(kept) != 1 {
		t.Fatalf("%d files kept, want 1", len(kept))
	}
	info := m.settings.EngineInfo
	if info.Slots != first.Slots || info.Slots < 2 {
		t.Errorf("%d slots in use, %d set aside", info.Slots, first.Slots)
	}
	second, err := open(t, Options{Tune: true, TuningFolder: folder, Threads: 1}).Plan(context.Background(), long)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(second.Calibration, "calibrated before") || second.Slots != first.Slots {
		t.Errorf("the second run says %q with %d slots, the first one had %d", second.Calibration, second.Slots, first.Slots)
	}
	few := long
	few.Requests = 3
	third, err := open(t, Options{Tune: true, TuningFolder: folder, Threads: 1}).Plan(context.Background(), few)
	if err != nil {
		t.Fatal(err)
	}
	if third.Slots != 3 {
		t.Errorf("%d slots for 3 requests", third.Slots)
	}
	if err := os.WriteFile(kept[0], []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := open(t, Options{Tune: true, TuningFolder: folder, Threads: 1}).Plan(context.Background(), long)
	if err != nil || !strings.HasPrefix(again.Calibration, "calibrated in ") {
		t.Errorf("over a damaged file: %q, %v", again.Calibration, err)
	}
}

func TestWhatIsNotCalibrated(t *testing.T) {
	like := &backends.EngineInfo{Slots: 5, Batch: 512, Microbatch: 256, KVUnified: true, Kernels: KernelsGGML}
	short := backends.Workload{Requests: 2, PromptTokens: 50, MaxTokens: 5}
	for name, test := range map[string]struct {
		options Options
		work    backends.Workload
		slots   int
	}{
		"a short run":                        {Options{Tune: true}, short, 2},
		"one slot, the reference":            {Options{Tune: true, Slots: 1}, long, 1},
		"a run that goes on":                 {Options{Tune: true, Like: like}, long, 5},
		"where calibration is not asked for": {Options{Slots: 3}, long, 3},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.Threads, test.options.TuningFolder = 1, t.TempDir()
			m := open(t, test.options)
			a, err := m.Plan(context.Background(), test.work)
			if err != nil {
				t.Fatal(err)
			}
			if kept, _ := os.ReadDir(test.options.TuningFolder); a.Calibration != "" || len(kept) != 0 || a.Slots != test.slots {
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

func TestSlotsThatWereAskedForStayInACalibration(t *testing.T) {
	m := open(t, Options{Tune: true, Slots: 3, Threads: 1})
	a, err := m.Plan(context.Background(), long)
	if err != nil {
		t.Fatal(err)
	}
	if a.Slots != 3 || a.Calibration == "" {
		t.Errorf("%d slots, calibration %q", a.Slots, a.Calibration)
	}
}

func TestACalibrationEndsWithItsContext(t *testing.T) {
	m := open(t, Options{Tune: true, Threads: 1})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := m.Plan(ctx, long); err == nil {
		t.Error("no error")
	}
}
