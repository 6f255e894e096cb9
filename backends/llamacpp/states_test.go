package llamacpp

import (
	"math"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/schedule"
	"proctor/scripts/tests/sharedtest"
)

func TestStatesAndCheckpointsArePlanned(t *testing.T) {
	for _, architecture := range []llamatest.Architecture{
		llamatest.Mamba, llamatest.Jamba, llamatest.GraniteHybrid, llamatest.FalconH1, llamatest.NemotronH, llamatest.LFM2,
		llamatest.Qwen3Next, llamatest.RWKV6, llamatest.RWKV7,
	} {
		for _, slots := range []int{1, 3} {
			o := Options{Path: architecturePath(t, architecture, "F16"), Threads: 1, Slots: slots, Context: 512}
			if planned, taken, _ := cacheOf(t, o); math.Abs(planned-taken) > 0.04 {
				t.Errorf("%s, %d slots: planned %.2f MiB, the engine has %.2f", architecture, slots, planned, taken)
			}
		}
	}
}

// A loaded engine does not say what a layer keeps, so that is measured.
func TestThePlanOfALoadedEngineIsWhatItTakes(t *testing.T) {
	folder := sharedtest.Engine(t)
	for _, architecture := range slices.Concat(llamatest.Architectures(), llamatest.Newer()) {
		for _, slots := range []int{1, 5} {
			o := Options{Path: loadedPath(t, architecture), Engine: folder, Threads: 1, Slots: slots, Context: 1024}
			planned, taken, known := cacheOf(t, o)
			assert.Check(t, !known || math.Abs(planned-taken) <= 0.1*taken && taken != 0,
				"%s, %d slots: planned %.2f MiB, the engine has %.2f", architecture, slots, planned, taken)
			t.Logf("%s, %d slots: planned %.2f MiB, %.2f are taken", architecture, slots, planned, taken)
		}
	}
}

// cacheOf is how many MiB of states, with their checkpoints, and of cache a model is planned to take, and what its engine takes. A model
// that a loaded engine does not know is none.
func cacheOf(t *testing.T, o Options) (planned, taken float64, known bool) {
	t.Helper()
	var lines engineLines
	o.Log = lines.log
	m, err := Open(t.Context(), o)
	if err != nil {
		if o.Engine == "" {
			t.Fatal(err)
		}
		return 0, 0, false
	}
	defer m.Close()
	lines.text = nil // of the contexts that were measured
	a, err := m.Plan(t.Context(), backends.Workload{})
	assert.NilError(t, err)
	taken = lines.sum(t, "KV") + lines.sum(t, "RS")*float64(o.Slots+schedule.MostCheckpoints)/float64(o.Slots)
	return float64(a.KV) / (1 << 20), taken, true
}
