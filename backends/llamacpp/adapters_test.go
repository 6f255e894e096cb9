package llamacpp

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
)

// scoresWith are the scores behind a prompt of a model with adapters.
func scoresWith(t *testing.T, o Options, adapters ...Adapter) []float32 {
	t.Helper()
	o.Adapters, o.Kernels, o.Slots, o.Context, o.Threads = adapters, KernelsGGML, 1, 256, 2
	m, err := Open(context.Background(), o)
	assert.NilError(t, err)
	defer m.Close()
	_, err = m.Plan(context.Background(), backends.Workload{Requests: 1, PromptTokens: 16, MaxTokens: 4})
	assert.NilError(t, err)
	var batch engine.Batch
	for i := range int32(8) {
		batch = append(batch, engine.Token{ID: 20 + i, Position: i, Draw: i == 7})
	}
	_, err = m.engine.Decode(batch)
	assert.NilError(t, err)
	return slices.Clone(m.engine.Scores(7))
}

// apart is the largest difference of two scores.
func apart(a, b []float32) float64 {
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(float64(a[i]-b[i])))
	}
	return most
}

func TestAdaptersAreAddedByTheirScales(t *testing.T) { testAdapters(t, "") }

func TestAdaptersOfALoadedEngineAreAdded(t *testing.T) { testAdapters(t, sharedtest.Engine(t)) }

func testAdapters(t *testing.T, folder string) {
	adapter := filepath.Join(t.TempDir(), "a.gguf")
	model := written(t, "adapted.gguf", func(m *llamatest.Model) {
		assert.NilError(t, llamatest.WriteAdapter(adapter, *m, 4))
	})
	o := Options{Path: model, Engine: folder}
	plain := scoresWith(t, o)
	whole := scoresWith(t, o, Adapter{adapter, 1})
	if d := apart(plain, scoresWith(t, o, Adapter{adapter, 0})); d > 1e-6 {
		t.Errorf("scale 0 changes scores by %g", d)
	}
	if d := apart(plain, whole); d < 0.05 {
		t.Errorf("scale 1 changes scores by %g alone", d)
	}
	d := apart(whole, scoresWith(t, o, Adapter{adapter, 2}))
	assert.Check(t, d >= 0.05, "scale 2 differs from scale 1 by %g alone", d)
}

func TestAnAdapterThatDoesNotFitIsRefused(t *testing.T) {
	model := tinyPath(t)
	_, err := Open(context.Background(), Options{Path: model, Adapters: []Adapter{{model, 1}}})
	errortest.For(t, "a model as an adapter", err, "no LoRA adapter")
	_, err = Open(context.Background(), Options{Path: model, Kernels: KernelsProctor, Adapters: []Adapter{{model, 1}}})
	errortest.For(t, "with proctor's kernels", err, `choose "ggml"`)
}
