package llamacpp

import (
	"context"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llamatest"
)

// windows are the architectures some of whose layers look back through a sliding window.
var windows = []llamatest.Architecture{llamatest.Gemma2, llamatest.Gemma3, llamatest.GPTOSS}

// Where a cache of all tokens costs slots, layers with a window keep those in it alone, and the plan counts them.
func TestWindowsAreKeptAloneWhereThatGivesMoreSlots(t *testing.T) {
	w := backends.Workload{Requests: 100, PromptTokens: 900, MaxTokens: 1000}
	for _, architecture := range windows {
		path := architecturePath(t, architecture, "F16")
		plenty := open(t, Options{Path: path, Microbatch: 64, Batch: 64})
		whole, err := plenty.Plan(context.Background(), w)
		assert.NilError(t, err)
		assert.Check(t, !plenty.settings.KVWindowed && whole.Slots == 16 && !strings.Contains(whole.Description, "windows"),
			"%s: %+v with %d slots where there is plenty of memory: %s", architecture, plenty.settings, whole.Slots, whole.Description)
		var lines engineLines
		half := open(t, Options{Path: path, Microbatch: 64, Batch: 64, MemoryLimit: (whole.Total() + whole.Weights) / 2, Log: lines.log})
		a, err := half.Plan(context.Background(), w)
		assert.NilError(t, err)
		full, exact := half.memory, half.memory
		full.KeepWindows, exact.Checkpoints = true, 0
		_, fit, err := full.Settings(w, half.asked)
		assert.Check(t, err == nil && half.settings.KVWindowed && a.Slots > fit && strings.Contains(a.Description, "windows"),
			"%s: %d slots, %d of them would fit with all tokens, %v: %s", architecture, a.Slots, fit, err, a.Description)
		cache := lines.sum(t, "KV")
		planned := float64(exact.Allocate(half.settings).KV) / (1 << 20)
		assert.Check(t, math.Abs(planned-cache) <= 0.05,
			"%s: planned a cache of %.2f MiB, the engine made one of %.2f", architecture, planned, cache)
		t.Logf("%s: %s; with all tokens %d slots", architecture, a.Description, fit)
	}
}

func TestWindowsAloneGiveTheSameTextsAndReuse(t *testing.T) {
	requests := fewShot(2, 4, 40, 130)
	capped(requests, 8)
	for _, architecture := range windows {
		t.Run(string(architecture), func(t *testing.T) {
			options := Options{Path: architecturePath(t, architecture, "F16"), Kernels: DefaultKernels(), Microbatch: 64}
			options.Like = &backends.EngineInfo{KVWindowed: true}
			answerAll(t, options, kernels.Available(), requests)
		})
	}
}

func TestAWindowThatMovedOnIsNotCutBack(t *testing.T) {
	m, _, _ := planned(t, Options{
		Path: architecturePath(t, llamatest.Gemma2, "F16"), Slots: 1, Context: 1024, Microbatch: 64, Batch: 64,
		Like: &backends.EngineInfo{KVWindowed: true},
	})
	for at := range int32(600) {
		assert.NilError(t, m.engine.Evaluate(engine.Batch{{ID: at%100 + 300, Position: at}}))
	}
	assert.Check(t, m.engine.Trim(0, 590), "a few tokens cannot be cut off")
	if m.engine.Trim(0, 380) { // the cache has 256 cells: those of the window before are gone
		t.Error("a window that is gone was cut back to")
	}
}
