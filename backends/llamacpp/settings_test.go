package llamacpp

import (
	"context"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/sharedtest"
)

// long is a run that takes far more than a minute on any machine.
var long = backends.Workload{Requests: 1e6, PromptTokens: 300, UniqueTokens: 60e6, MaxTokens: 100}

// A plan follows from the options and the memory alone: nothing is measured that texts could depend on.
func TestAPlanFollowsFromTheOptions(t *testing.T) {
	like := &backends.EngineInfo{Slots: 5, Batch: 512, Microbatch: 256, FlashAttention: true, Kernels: KernelsGGML}
	for name, test := range map[string]struct {
		options Options
		slots   int
		flash   bool
	}{
		"ggml's kernels": {Options{Settings: backends.Settings{Kernels: KernelsGGML}}, 16, false},
		"ggml's kernels, a quantised cache": {Options{Settings: backends.Settings{Kernels: KernelsGGML, KVType: "q8_0"}},
			16, true},
		"slots that were asked for": {Options{Settings: backends.Settings{Kernels: KernelsGGML, Slots: 3}}, 3, false},
		"a run that goes on":        {Options{Like: like}, 5, true},
		"the kernels of this CPU":   {Options{}, 16, DefaultKernels() == KernelsProctor},
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, test.options)
			_, err := m.Plan(context.Background(), long)
			assert.NilError(t, err)
			info := m.settings.EngineInfo
			assert.Check(t, info.Slots == test.slots && info.FlashAttention == test.flash, "%+v", info)
			assert.Check(t, test.options.Like == nil ||
				info.Microbatch == like.Microbatch && info.Kernels == like.Kernels, "%+v", info)
		})
	}
}

// levelAlone has a test's process compute with the level that its environment names alone.
const levelAlone = "PROCTOR_TEST_LEVEL_ALONE"

// Whatever slots, threads and microbatches there are, a model says the same of every token, to the bit, as in one slot:
// with each level of this CPU.
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
			command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWhateverTheSettingsTheBitsAreOneSlots$",
				"-test.v")
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
	requests := fewShot(3, 8, 60, 24)
	for i := range requests {
		requests[i].Logprobs, requests[i].MaxTokens = 3, 3+i*5%22
	}
	deep := written(t, "deep.gguf", func(m *llamatest.Model) { m.Shape.Layers = 8 })
	for name, path := range map[string]string{
		"deep F16": deep, "deep Q4_K_M": quantised(t, deep, "Q4_K_M"), "deep Q8_0": quantised(t, deep, "Q8_0"),
		"jamba":  architecturePath(t, llamatest.Jamba, "Q8_0"),
		"gemma3": architecturePath(t, llamatest.Gemma3, "Q8_0"),
	} {
		asked := requests[:8]
		if strings.HasPrefix(name, "deep") { // more than slots
			asked = requests
		}
		var want []backends.Completion
		compared, differ := 0, 0
		m := open(t, Options{Settings: backends.Settings{Context: 1024}, Path: path})
		first, err := m.memory.Settings(long, m.requested)
		assert.NilError(t, err)
		first.Slots, first.Threads = 1, 1
		all := slices.Concat([]engine.Settings{first}, others(first))
		for i, s := range all {
			got := generateWith(t, m, s, asked)
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
