package llamacpp

import (
	"context"
	"math"
	"slices"
	"testing"

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
			var lines engineLines
			path := architecturePath(t, architecture, "F16")
			m := open(t, Options{Path: path, Slots: slots, Context: 512, Log: lines.log})
			a, err := m.Plan(context.Background(), backends.Workload{})
			if err != nil {
				t.Fatal(err)
			}
			states, cache := lines.mebibytes(t, "RS"), 0.0
			if m.memory.Cache.Hybrid {
				cache = lines.mebibytes(t, "KV")
			}
			want := cache + states*float64(slots+schedule.MostCheckpoints)/float64(slots)
			if got := float64(a.KV) / (1 << 20); math.Abs(got-want) > 0.04 {
				t.Errorf("%s, %d slots: planned %.2f MiB, the engine has %.2f of states and %.2f of cache: with checkpoints %.2f",
					architecture, slots, got, states, cache, want)
			}
		}
	}
}

// A loaded engine does not say what a layer keeps, so that is measured.
func TestThePlanOfALoadedEngineIsWhatItTakes(t *testing.T) {
	folder := sharedtest.Engine(t)
	for _, architecture := range slices.Concat(llamatest.Architectures(), llamatest.Newer()) {
		for _, slots := range []int{1, 5} {
			var lines engineLines
			path := loadedPath(t, architecture)
			m, err := Open(t.Context(), Options{Path: path, Engine: folder, Threads: 1, Slots: slots, Context: 1024, Log: lines.log})
			if err != nil {
				break // it does not know it
			}
			lines.text = nil // of the contexts that were measured
			a, err := m.Plan(t.Context(), backends.Workload{})
			if err != nil {
				t.Fatal(err)
			}
			states, cache := lines.sum(t, "RS"), lines.sum(t, "KV")
			want := cache + states*float64(slots+schedule.MostCheckpoints)/float64(slots)
			got := float64(a.KV) / (1 << 20)
			if math.Abs(got-want) > 0.1*want || want == 0 {
				t.Errorf("%s, %d slots: planned %.2f MiB, the engine has %.2f of states and %.2f of cache: with checkpoints %.2f",
					architecture, slots, got, states, cache, want)
			}
			t.Logf("%s, %d slots: planned %.2f MiB, %.2f are taken", architecture, slots, got, want)
			m.Close()
		}
	}
}
