package tune

import (
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/engine"
)

func TestACalibrationIsKeptForWhatItDependsOn(t *testing.T) {
	folder := t.TempDir()
	base := engine.Settings{}
	base.Threads, base.Slots, base.Context, base.KVType, base.Kernels = 2, 16, 2048, "f16", "proctor"
	paths := map[Store]string{OpenStore(folder, "abc", base): "the base", OpenStore(folder, "abd", base): "another file"}
	for name, change := range map[string]func(*engine.Settings){
		"threads":    func(s *engine.Settings) { s.Threads = 3 },
		"slots":      func(s *engine.Settings) { s.Slots = 3 },
		"context":    func(s *engine.Settings) { s.Context = 4096 },
		"cache":      func(s *engine.Settings) { s.KVType = "q8_0" },
		"GPU layers": func(s *engine.Settings) { s.GPULayers = 9 },
		"kernels":    func(s *engine.Settings) { s.Kernels = "ggml" },
		"level":      func(s *engine.Settings) { s.KernelLevel = "none such" },
	} {
		s := base
		change(&s)
		store := OpenStore(folder, "abc", s)
		other, found := paths[store]
		assert.Check(t, !found, "%s: kept in the same place as %s", name, other)
		paths[store] = name
		assert.Check(t, filepath.Dir(store.path) == folder, "%s: kept in %s", name, store.path)
	}
	c := Calibration{Pace: Pace{Prefill: 5}}
	c.Engine.Slots, c.Engine.Microbatch, c.Engine.Threads = 8, 256, 2
	store := OpenStore(folder, "abc", base)
	assert.NilError(t, store.keep(c))
	if got, found := store.find(); !found || !got.stored || got.Engine.Slots != 8 || got.Pace != c.Pace {
		t.Errorf("%+v, %v", got, found)
	}
	if _, found := (Store{}).find(); found || (Store{}).keep(c) != nil || OpenStore("", "abc", base) != (Store{}) {
		t.Error("without a folder something is kept")
	}
}
