package llamacpp

import (
	"context"
	"math"
	"testing"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/schedule"
)

func TestStatesAndCheckpointsArePlanned(t *testing.T) {
	for _, architecture := range []llamatest.Architecture{
		llamatest.Mamba, llamatest.Jamba, llamatest.GraniteHybrid, llamatest.FalconH1, llamatest.NemotronH, llamatest.LFM2,
		llamatest.Qwen3Next,
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
