package llamacpp

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
)

// engineLines records what the engine says.
type engineLines struct {
	sync.Mutex
	text []string
}

func (l *engineLines) log(_ slog.Level, text string) {
	l.Lock()
	defer l.Unlock()
	l.text = append(l.text, text)
}

// mebibytes adds up the numbers of the engine's lines "… KIND buffer size =  12.34 MiB".
func (l *engineLines) mebibytes(kind string) (sum float64) {
	l.Lock()
	defer l.Unlock()
	for _, line := range l.text {
		var n float64
		if _, after, found := strings.Cut(line, kind+" buffer size ="); found {
			fmt.Sscan(after, &n)
		}
		sum += n
	}
	return sum
}

// planned is a model with a plan for 100 requests, and the engine's log of it.
func planned(t *testing.T, options Options) (m *Model, a backends.Allocation, lines *engineLines) {
	t.Helper()
	lines = &engineLines{}
	options.Log = lines.log
	m = open(t, options)
	a, err := m.Plan(context.Background(), backends.Workload{Requests: 100})
	assert.NilError(t, err)
	return m, a, lines
}

func TestThePlanIsWhatTheEngineTakes(t *testing.T) {
	wide := written(t, "wide.gguf", func(m *llamatest.Model) {
		m.Shape = llamatest.Shape{Width: 512, Heads: 16, KVHeads: 2, Inner: 1536, Layers: 3, Context: 8192}
	})
	for _, test := range []struct {
		name    string
		options Options
	}{
		{"one short slot", Options{Settings: backends.Settings{Slots: 1, Context: 256}}},
		{"one short slot without flash attention", Options{Settings: backends.Settings{Slots: 1, Context: 256,
			Kernels: KernelsGGML}}},
		{"one long slot", Options{Settings: backends.Settings{Slots: 1, Context: 4096}}},
		{"one long slot without flash attention", Options{Settings: backends.Settings{Slots: 1, Context: 4096,
			Kernels: KernelsGGML}}},
		{"many slots", Options{Settings: backends.Settings{Slots: 9, Context: 1024}}},
		{"many slots without flash attention", Options{Settings: backends.Settings{Slots: 9, Context: 1024,
			Kernels: KernelsGGML}}},
		{"a small microbatch", Options{Settings: backends.Settings{Slots: 2, Context: 2048}, Batch: 512, Microbatch: 64}},
		{"grouped heads", Options{Settings: backends.Settings{Slots: 4, Context: 2048}, Path: wide}},
		{"grouped heads without flash attention", Options{Settings: backends.Settings{Slots: 4, Context: 2048,
			Kernels: KernelsGGML}, Path: wide}},
		{"an eight-bit cache", Options{Settings: backends.Settings{Slots: 4, Context: 2048, KVType: "q8_0"}, Path: wide}},
		{"a cache of two types", Options{Settings: backends.Settings{Slots: 4, Context: 2048, KVType: "k=q8_0,v=q5_1"},
			Path: wide}},
		{"a cache with plain values, without flash attention", Options{Settings: backends.Settings{Slots: 2, Context: 2048,
			KVType: "k=q8_0,v=f16", Kernels: KernelsGGML}, Path: wide}},
		{"a four-bit cache", Options{Settings: backends.Settings{Slots: 2, Context: 2048, KVType: "q4_0"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, a, lines := planned(t, test.options)
			kv, compute := lines.mebibytes("KV"), lines.mebibytes("compute")
			got := float64(a.KV) / (1 << 20)
			assert.Check(t, math.Abs(got-kv) <= 0.02, "planned a cache of %.2f MiB, the engine made one of %.2f", got, kv)
			planned := float64(m.memory.Compute(m.settings).Graph) / (1 << 20)
			slack := 0.5
			if m.settings.FlashAttention { // a copy of the mask, for which the engine may find room that is there anyway
				slack += float64(2*m.settings.Microbatch*m.memory.Cache.Cells(m.settings)) / (1 << 20)
			}
			assert.Check(t, planned >= 0.98*compute && planned <= 1.05*compute+slack,
				"planned %.1f MiB for the graph, the engine took %.1f", planned, compute)
			t.Logf("cache %.1f MiB, graph planned %.1f, taken %.1f", kv, planned, compute)
			assert.Check(t, a.Slots == test.options.Slots && a.Context == m.engine.Context() && a.Available != 0, "%+v", a)
		})
	}
}

func TestPlanningAgainStartsAnew(t *testing.T) {
	m := open(t, Options{Settings: backends.Settings{Slots: 2}})
	for _, tokens := range []int{300, 700} {
		a, err := m.Plan(context.Background(), backends.Workload{PromptTokens: tokens, MaxTokens: 20})
		assert.NilError(t, err)
		info, err := m.Info(context.Background())
		assert.NilError(t, err)
		assert.Check(t, info.Engine.Context == a.Context && info.Engine.Slots == 2 && a.Context >= tokens+20,
			"allocation %+v, info %+v", a, info.Engine)
		generate(t, m, backends.Request{ID: "x", Prompt: "Question", MaxTokens: 3})
	}
}

func TestAForecastIsWhatThePlanComesTo(t *testing.T) {
	m := open(t, Options{Settings: backends.Settings{Threads: 1, Kernels: KernelsGGML}})
	direct := backends.Workload{Requests: 10, PromptTokens: 256} // fills its context
	for _, w := range []backends.Workload{long, direct} {
		f, err := m.Forecast(context.Background(), w)
		assert.NilError(t, err)
		assert.Check(t, m.engine == nil, "memory was set aside")
		assert.Check(t, f.Duration > 0 && f.Duration < 1000*time.Hour && f.Rough &&
			f.Source != "", "%v by %q", f.Duration, f.Source)
		a, err := m.Plan(context.Background(), w)
		assert.NilError(t, err)
		f.Beside, a.Beside = 0, 0 // measured anew each time
		assert.DeepEqual(t, f.Allocation, a)
		m.release()
	}
	assert.NilError(t, m.Close())
	_, err := m.Forecast(context.Background(), long)
	assert.Check(t, err != nil, "a closed model foresees")
	m = open(t, Options{Settings: backends.Settings{Threads: 1, Context: 256}})
	f, err := m.Forecast(context.Background(), long)
	assert.Check(t, err != nil, "a context that is too small comes to %+v", f)
}
