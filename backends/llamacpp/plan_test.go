package llamacpp

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"

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

// mebibytes reads the number from the engine's line "… KIND buffer size =  12.34 MiB".
func (l *engineLines) mebibytes(t *testing.T, kind string) float64 {
	t.Helper()
	l.Lock()
	defer l.Unlock()
	for _, line := range l.text {
		if _, after, found := strings.Cut(line, kind+" buffer size ="); found {
			var n float64
			fmt.Sscan(after, &n)
			return n
		}
	}
	t.Fatalf("the engine did not say how large its %s buffer is: %q", kind, l.text)
	return 0
}

// sum adds up such numbers of the engine's several buffers.
func (l *engineLines) sum(t *testing.T, kind string) float64 {
	t.Helper()
	all := 0.0
	for _, line := range l.text {
		if strings.Contains(line, kind+" buffer size =") {
			all += (&engineLines{text: []string{line}}).mebibytes(t, kind)
		}
	}
	return all
}

func TestThePlanIsWhatTheEngineTakes(t *testing.T) {
	wide, err := writeTiny("wide.gguf", func(m *llamatest.Model) {
		m.Shape = llamatest.Shape{Width: 512, Heads: 16, KVHeads: 2, Inner: 1536, Layers: 3, Context: 8192}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		options Options
	}{
		{"one short slot", Options{Slots: 1, Context: 256}},
		{"one short slot without flash attention", Options{Slots: 1, Context: 256, Kernels: KernelsGGML}},
		{"one long slot", Options{Slots: 1, Context: 4096}},
		{"one long slot without flash attention", Options{Slots: 1, Context: 4096, Kernels: KernelsGGML}},
		{"many slots", Options{Slots: 9, Context: 1024}},
		{"many slots without flash attention", Options{Slots: 9, Context: 1024, Kernels: KernelsGGML}},
		{"a small microbatch", Options{Slots: 2, Context: 2048, Batch: 512, Microbatch: 64}},
		{"grouped heads", Options{Path: wide, Slots: 4, Context: 2048}},
		{"grouped heads without flash attention", Options{Path: wide, Slots: 4, Context: 2048, Kernels: KernelsGGML}},
		{"an eight-bit cache", Options{Path: wide, Slots: 4, Context: 2048, KVType: "q8_0"}},
		{"a four-bit cache", Options{Slots: 2, Context: 2048, KVType: "q4_0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var lines engineLines
			test.options.Log = lines.log
			m := open(t, test.options)
			a, err := m.Plan(context.Background(), backends.Workload{Requests: 100})
			if err != nil {
				t.Fatal(err)
			}
			kv, compute := lines.mebibytes(t, "KV"), lines.mebibytes(t, "compute")
			if got := float64(a.KV) / (1 << 20); math.Abs(got-kv) > 0.02 {
				t.Errorf("planned a cache of %.2f MiB, the engine made one of %.2f", got, kv)
			}
			planned := float64(m.graphBytes(m.settings, true)) / (1 << 20)
			slack := 0.5
			if m.settings.FlashAttention { // a copy of the mask, for which the engine may find room that is there anyway
				slack += float64(2*tokens(m.settings)*m.cells(m.settings)) / (1 << 20)
			}
			if planned < 0.98*compute || planned > 1.05*compute+slack {
				t.Errorf("planned %.1f MiB for the graph, the engine took %.1f", planned, compute)
			}
			t.Logf("cache %.1f MiB, graph planned %.1f, taken %.1f", kv, planned, compute)
			if a.Slots != test.options.Slots || a.Context != m.engine.Context() || a.Available == 0 {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestSlotsFitTheMemory(t *testing.T) {
	m := open(t, Options{})
	w := backends.Workload{Requests: 100, PromptTokens: 900, MaxTokens: 100}
	total := func(slots int) int64 {
		s := m.asked
		s.Context, s.Slots = 1024, slots
		return m.allocate(s).Total()
	}
	one, two := total(1), total(2)
	memory := func(slots int64) int64 { return int64(float64(one+(slots-1)*(two-one))/headroom) + 1<<12 }
	plan := func(o Options, w backends.Workload) (backends.Allocation, error) {
		t.Helper()
		return open(t, o).Plan(context.Background(), w)
	}
	for _, test := range []struct {
		name   string
		limit  int64
		slots  int
		work   backends.Workload
		want   int
		refuse string
	}{
		{"plenty", 1 << 40, 0, w, autoSlots, ""},
		{"room for three", memory(3), 0, w, 3, ""},
		{"room for three, two requests", memory(3), 0, backends.Workload{Requests: 2, PromptTokens: 900, MaxTokens: 100}, 2, ""},
		{"three asked for", memory(3), 3, w, 3, ""},
		{"four asked for, room for three", memory(3), 4, w, 0, "3 would fit"},
		{"room for none", memory(1) * 95 / 100, 0, w, 0, "a context of"},
		{"not even the model", one / 20, 0, w, 0, "choose a smaller quantisation"},
		{"more than there is work", 1 << 40, 20, backends.Workload{Requests: 2, PromptTokens: 9, MaxTokens: 9}, 20, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.refuse != "" && strings.Contains(test.refuse, "quantisation") {
				_, err := Open(context.Background(), Options{Path: tinyPath(t), MemoryLimit: m.file.TensorBytes() - 1})
				if err == nil || !strings.Contains(err.Error(), test.refuse) {
					t.Errorf("error %v", err)
				}
				return
			}
			a, err := plan(Options{Slots: test.slots, MemoryLimit: test.limit}, test.work)
			if test.refuse == "" && (err != nil || a.Slots != test.want) {
				t.Errorf("%d slots, error %v; want %d", a.Slots, err, test.want)
			}
			if test.refuse != "" && (err == nil || !strings.Contains(err.Error(), test.refuse)) {
				t.Errorf("error %v, want one with %q", err, test.refuse)
			}
		})
	}
}

func TestTheContextFitsTheWork(t *testing.T) {
	for _, test := range []struct {
		name    string
		context int
		work    backends.Workload
		want    int
		refuse  string
	}{
		{"from the work, rounded up", 0, backends.Workload{PromptTokens: 900, MaxTokens: 200}, 1280, ""},
		{"up to what the model was trained for", 0, backends.Workload{PromptTokens: 4000, MaxTokens: 2048}, 4096, ""},
		{"as given", 2048, backends.Workload{PromptTokens: 900, MaxTokens: 200}, 2048, ""},
		{"beyond what the model was trained for, where given", 8192, backends.Workload{PromptTokens: 6000, MaxTokens: 200}, 8192, ""},
		{"too small", 1000, backends.Workload{PromptTokens: 900, MaxTokens: 200}, 0, "1100 are needed"},
		{"without any work", 0, backends.Workload{}, 4096, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := open(t, Options{Context: test.context, Slots: 1})
			a, err := m.Plan(context.Background(), test.work)
			if test.refuse == "" && (err != nil || a.Context != test.want) {
				t.Errorf("context %d, error %v; want %d", a.Context, err, test.want)
			}
			if test.refuse != "" && (err == nil || !strings.Contains(err.Error(), test.refuse)) {
				t.Errorf("error %v, want one with %q", err, test.refuse)
			}
		})
	}
}

func TestPlanningAgainStartsAnew(t *testing.T) {
	m := open(t, Options{Slots: 2})
	for _, tokens := range []int{300, 700} {
		a, err := m.Plan(context.Background(), backends.Workload{PromptTokens: tokens, MaxTokens: 20})
		if err != nil {
			t.Fatal(err)
		}
		info, err := m.Info(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if info.Engine.Context != a.Context || info.Engine.Slots != 2 || a.Context < tokens+20 {
			t.Errorf("allocation %+v, info %+v", a, info.Engine)
		}
		generate(t, m, backends.Request{ID: "x", Prompt: "Question", MaxTokens: 3})
	}
}
