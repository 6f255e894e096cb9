package tune

import (
	"path/filepath"
	"testing"

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
		if other, found := paths[store]; found {
			t.Errorf("%s: kept in the same place as %s", name, other)
		}
		paths[store] = name
		if filepath.Dir(store.path) != folder {
			t.Errorf("%s: kept in %s", name, store.path)
		}
	}
	c := Calibration{Pace: Pace{Prefill: 5}}
	c.Engine.Slots, c.Engine.Microbatch, c.Engine.Threads = 8, 256, 2
	store := OpenStore(folder, "abc", base)
	if err := store.keep(c); err != nil {
		t.Fatal(err)
	}
	if got, found := store.find(); !found || !got.stored || got.Engine.Slots != 8 || got.Pace != c.Pace {
		t.Errorf("%+v, %v", got, found)
	}
	if _, found := (Store{}).find(); found || (Store{}).keep(c) != nil || OpenStore("", "abc", base) != (Store{}) {
		t.Error("without a folder something is kept")
	}
}
