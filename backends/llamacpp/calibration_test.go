package llamacpp

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/machine"
	"proctor/scripts/tests/sharedtest"
)

// long is a run that takes far more than a minute on any machine.
var long = backends.Workload{Requests: 1e6, PromptTokens: 300, UniqueTokens: 60e6, MaxTokens: 100}

func TestALongRunIsCalibratedOnceAndRemembersIt(t *testing.T) {
	folder := t.TempDir()
	planned := func(requests int) (*Model, backends.Allocation) {
		m, work := open(t, Options{Tune: true, TuningFolder: folder, Threads: 1, Kernels: KernelsGGML}), long
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
		"proctor's kernels":                  {Options{Tune: true, Kernels: DefaultKernels()}, long, 16, DefaultKernels() == KernelsGGML},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.Threads, test.options.TuningFolder, test.options.Kernels = 1, t.TempDir(), cmp.Or(test.options.Kernels, KernelsGGML)
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
	m := open(t, Options{Tune: true, Threads: 1, Kernels: KernelsGGML})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := m.Plan(ctx, long)
	assert.Check(t, err != nil, "no error")
}

// levelAlone has a test's process compute with the level that its environment names alone.
const levelAlone = "PROCTOR_TEST_LEVEL_ALONE"

// Whatever slots, threads and microbatches there are, a model says the same of every token, to the bit, as in one slot: with each level of
// this CPU.
func TestWhateverTheSettingsTheBitsAreOneSlots(t *testing.T) {
	if !kernels.Available() {
		t.Skip("ggml's kernels do not promise it")
	}
	if os.Getenv(levelAlone) != "" {
		bitsOfSettings(t)
		return
	}
	for _, level := range sharedtest.Few(1, kernels.Supported()) {
		t.Run(level, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWhateverTheSettingsTheBitsAreOneSlots$", "-test.v")
			command.Env = append(os.Environ(), kernels.LevelVariable+"="+level, levelAlone+"=1")
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			} else if testing.Verbose() {
				t.Logf("%s", out)
			}
		})
	}
}

func bitsOfSettings(t *testing.T) {
	requests := fewShot(2, 4, 60, 24)
	for i := range requests {
		requests[i].Logprobs, requests[i].MaxTokens = 3, 8
	}
	for name, path := range map[string]string{
		"random Q4_K_M": quantised(t, tinyPath(t), "Q4_K_M"),
		"jamba":         architecturePath(t, llamatest.Jamba, "Q8_0"),
		"gemma3":        architecturePath(t, llamatest.Gemma3, "Q8_0"),
	} {
		var want []backends.Completion
		compared, differ := 0, 0
		m := open(t, Options{Path: path, Context: 1024})
		first, _, err := m.memory.Settings(long, m.requested)
		assert.NilError(t, err)
		first.Slots, first.Threads = 1, 1
		all := slices.Concat([]engine.Settings{first}, others(first))
		for i, s := range all {
			got := generateWith(t, m, s, requests)
			if i == 0 {
				want = got
				continue
			}
			for k := range want {
				compared += len(want[k].Predictions)
				differ += differing(want[k].Predictions, got[k].Predictions)
			}
		}
		assert.Check(t, differ == 0, "%s: %d of %d log-probabilities differ from one slot's", name, differ, compared)
		t.Logf("%s: %d settings, %d log-probabilities", name, len(all), compared)
	}
}

// others have more slots, and other threads and microbatches.
func others(first engine.Settings) []engine.Settings {
	var all []engine.Settings
	for i := range sharedtest.Count(2, 6) {
		s := first
		s.Slots, s.Threads, s.Microbatch = []int{16, 5, 24, 2, 8, 3}[i], 1+i%2, []int{128, 512, 256, 64, 512, 1}[i]
		all = append(all, s)
	}
	return all
}

// differing is of how many tokens two completions' predictions say something else.
func differing(want, got []backends.Prediction) int {
	n := max(len(want), len(got))
	for i := range min(len(want), len(got)) {
		if reflect.DeepEqual(want[i], got[i]) {
			n--
		}
	}
	return n
}

// generateWith answers requests with settings that a plan may have.
func generateWith(t *testing.T, m *Model, s engine.Settings, requests []backends.Request) []backends.Completion {
	t.Helper()
	m.release()
	e, err := m.weights.NewEngine(s)
	assert.NilError(t, err)
	s.Context, s.Batch = e.Context(), e.Batch()
	m.engine, m.settings = e, s
	return generate(t, m, requests...)
}
