package memory

import (
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
)

// tiny plans a model of two layers with random weights, in memory without a bound.
func tiny(t *testing.T) *Planner {
	return shaped(t, llamatest.Shape{Width: 256, Heads: 8, KVHeads: 4, Inner: 256, Layers: 2, Context: 4096})
}

func shaped(t *testing.T, shape llamatest.Shape) *Planner {
	return written(t, llamatest.Model{Shape: shape})
}

func written(t *testing.T, m llamatest.Model) *Planner {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	m.Name, m.Vocabulary, m.Seed = "tiny", llamatest.SmallVocabulary(), 1
	err := llamatest.Write(path, m)
	assert.NilError(t, err)
	file, err := gguf.Open(path)
	assert.NilError(t, err)
	p := &Planner{File: file}
	_, err = p.Place(requested(0, 0), false, nil)
	assert.NilError(t, err)
	return p
}

// requested returns settings with a number of slots and a context for each; 0 leaves either open.
func requested(slots, context int) engine.Settings {
	return engine.Settings{EngineInfo: backends.EngineInfo{
		Slots: slots, Context: context, Batch: 512, Microbatch: 512, KVType: "f16", FlashAttention: true,
	}}
}

func TestLayersThatUseAnEarlierCacheArePlannedWithoutOneBeforeTheModelIsLoaded(t *testing.T) {
	shape := llamatest.Shape{Width: 256, Heads: 8, KVHeads: 4, Inner: 256, Layers: 22, Context: 4096}
	whole := tiny(t).Allocate(requested(1, 1024)).KV // of two layers
	shared := written(t, llamatest.Model{Architecture: llamatest.Gemma3n, Shape: shape}).Allocate(requested(1, 1024)).KV
	assert.Equal(t, shared, 10*whole)
}

// llama.cpp reads beyond a table of positions.
func TestAContextEndsWithTheLearnedPositions(t *testing.T) {
	shape := llamatest.Shape{Width: 256, Heads: 8, KVHeads: 4, Inner: 256, Layers: 1, Context: 4096}
	learned, computed := written(t, llamatest.Model{Architecture: llamatest.GPT2, Shape: shape}), tiny(t)
	shape.Context = 4000
	odd := written(t, llamatest.Model{Architecture: llamatest.GPT2, Shape: shape})
	w := backends.Workload{Requests: 100, PromptTokens: 4000, MaxTokens: 1000}
	for _, test := range []struct {
		of      *Planner
		given   int
		context int
		want    string
	}{
		{computed, 6000, 6144, ""},
		{learned, 6000, 0, "a context of 6000 tokens: the model has learned positions for 4096, and has none after them: give at most that many"},
		{learned, 0, 4096, ""}, // prompts that do not fit fail one by one
		{odd, 0, 3840, ""},     // the engine has room for a multiple of 256
	} {
		s, err := test.of.Settings(w, requested(1, test.given))
		said := ""
		if err != nil {
			said = err.Error()
		}
		assert.Check(t, said == test.want && s.Context == test.context, "%+v: a context of %d, %v", test, s.Context, err)
	}
}

// A GPU computes more slots at a time at little more cost, but only where no layer waits for the CPU.
func TestAGPUThatHasTheWholeModelGetsMoreSlots(t *testing.T) {
	w := backends.Workload{Requests: 100, PromptTokens: 900, MaxTokens: 100}
	device := engine.Device{Name: "GPU0", Free: 1 << 40, Total: 1 << 40}
	blocks := onto(t, 0, device).offload.blocks
	for layers, want := range map[int]int{blocks: autoSlots, blocks + 1: autoSlotsOnGPU} {
		s, err := onto(t, layers, device).Settings(w, requested(0, 1024))
		assert.Check(t, err == nil && s.Slots == want,
			"%d of %d layers on a GPU: %d slots, %v; want %d", layers, blocks+1, s.Slots, err, want)
	}
}

// Scores of tokens whose next one nobody asks for are in the engine's buffer, but never written: they need not be free, unless the
// process's address space is limited.
func TestMemoryThatIsNeverWrittenNeedNotBeFree(t *testing.T) {
	p, s := shaped(t, llamatest.Shape{Width: 64, Heads: 2, KVHeads: 1, Inner: 64, Layers: 2, Context: 4096}), requested(4, 1024)
	rows := p.vocabulary()
	free := p.Allocate(s).Compute
	p.Limit = func(int64) string { return "ulimit -v is too small" }
	limited := p.Allocate(s).Compute
	unused := limited - free
	assert.Check(t, unused > 0 && unused <= 4*512*rows, "%d bytes are never written, want some of %d", unused, 4*512*rows)
	s.Outputs = 512 // all are asked for
	p.Limit = nil
	all := p.Allocate(s).Compute
	assert.Check(t, all >= limited, "with all scores asked for %d bytes, want %d or more", all, limited)
}

func TestSlotsFitTheMemory(t *testing.T) {
	w := backends.Workload{Requests: 100, PromptTokens: 900, MaxTokens: 100}
	total := func(slots int) int64 {
		return tiny(t).Allocate(requested(slots, 1024)).Total()
	}
	one, two := total(1), total(2)
	memory := func(slots int64) int64 { return int64(float64(one+(slots-1)*(two-one))/headroom) + 1<<12 }
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
		{"four asked for, nothing left beside them", one + 3*(two-one), 4, w, 0, "a tenth of it kept free: "},
		{"forty asked for", one + 3*(two-one), 40, w, 0, "of memory are free: "},
		{"room for none", memory(1) * 95 / 100, 0, w, 0, "a context of"},
		{"not even the model", one / 20, 0, w, 0, "its tensors take"},
		{"more than there is work", 1 << 40, 20, backends.Workload{Requests: 2, PromptTokens: 9, MaxTokens: 9}, 20, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := tiny(t)
			p.Available = test.limit
			_, err := p.Place(requested(test.slots, 0), false, nil)
			var s engine.Settings
			if err == nil {
				s, err = p.Settings(test.work, requested(test.slots, 0))
			}
			assert.Check(t, test.refuse != "" || err == nil && s.Slots == test.want, "%d slots, error %v; want %d", s.Slots, err, test.want)
			if test.refuse != "" {
				errortest.Says(t, err, test.refuse)
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
			p := tiny(t)
			var warned []string
			p.Warn = func(text string) { warned = append(warned, text) }
			s, err := p.Settings(test.work, requested(1, test.context))
			assert.Check(t, test.refuse != "" || err == nil && s.Context == test.want,
				"context %d, error %v; want %d", s.Context, err, test.want)
			beyond := max(test.want, test.work.PromptTokens+test.work.MaxTokens) > 4096
			assert.Check(t, beyond == (len(warned) == 1), "warned of %q", warned)
			if test.refuse != "" {
				errortest.Says(t, err, test.refuse)
			}
		})
	}
}
