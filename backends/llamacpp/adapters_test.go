package llamacpp

import (
	"bytes"
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
)

// scoresWith are the scores behind a prompt of a model with adapters.
func scoresWith(t *testing.T, o Options, adapters ...backends.Adapter) []float32 {
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
	o := Options{Settings: backends.Settings{Engine: folder}, Path: model}
	plain := scoresWith(t, o)
	whole := scoresWith(t, o, backends.Adapter{Ref: adapter, Scale: 1})
	if d := apart(plain, scoresWith(t, o, backends.Adapter{Ref: adapter, Scale: 0})); d > 1e-6 {
		t.Errorf("scale 0 changes scores by %g", d)
	}
	if d := apart(plain, whole); d < 0.05 {
		t.Errorf("scale 1 changes scores by %g alone", d)
	}
	d := apart(whole, scoresWith(t, o, backends.Adapter{Ref: adapter, Scale: 2}))
	assert.Check(t, d >= 0.05, "scale 2 differs from scale 1 by %g alone", d)
}

func TestAnAdapterThatDoesNotFitIsRefused(t *testing.T) {
	model := tinyPath(t)
	folder := t.TempDir()
	adapter := func(name string, tensors map[string][]uint64, data byte) string {
		var w gguf.Writer
		w.Text("general.type", "adapter")
		w.Text("general.architecture", "llama")
		w.Text("adapter.type", "lora")
		size := 0
		for _, tensor := range slices.Sorted(maps.Keys(tensors)) {
			bytes := 4
			for _, n := range tensors[tensor] {
				bytes *= int(n)
			}
			w.Tensor(tensor, 0, bytes, tensors[tensor]...)
			size += gguf.Aligned(bytes)
		}
		path := filepath.Join(folder, name)
		assert.NilError(t, os.WriteFile(path, append(w.Header(), bytes.Repeat([]byte{data}, size)...), 0o600))
		return path
	}
	const q, far = "blk.0.attn_q.weight", "blk.99.attn_q.weight"
	for name, test := range map[string]struct{ path, want string }{
		"a model as an adapter": {model, "no LoRA adapter"},
		"another model's layers": {
			adapter("far.gguf", map[string][]uint64{far + ".lora_a": {4, 1}, far + ".lora_b": {1, 4}}, 1),
			"far.gguf: an adapter for another model than " + model + ", which has no tensor " + far + ": choose the ",
		},
		"another model's widths": {
			adapter("wide.gguf", map[string][]uint64{q + ".lora_a": {4, 1}, q + ".lora_b": {1, 4}}, 1),
			"wide.gguf: llama.cpp cannot load it: ",
		},
		"norms alone, which llama.cpp leaves out": {
			adapter("norms.gguf", map[string][]uint64{"blk.0.attn_norm.weight": {4}}, 1),
			"norms.gguf: an adapter that changes nothing of " + model,
		},
		"products of nothing": {
			adapter("zero.gguf", map[string][]uint64{q + ".lora_a": {4, 1}, q + ".lora_b": {1, 4}}, 0),
			"zero.gguf: an adapter that changes nothing of " + model,
		},
	} {
		_, err := Open(context.Background(),
			Options{Settings: backends.Settings{Adapters: backends.Adapters{{Ref: test.path, Scale: 1}}}, Path: model})
		errortest.For(t, name, err, test.want)
		errortest.For(t, name, err, model)
		assert.Check(t, err == nil || !strings.Contains(err.Error(), "\n"), "%s: %v", name, err)
	}
	_, err := Open(context.Background(), Options{Settings: backends.Settings{Kernels: KernelsProctor,
		Adapters: backends.Adapters{{Ref: model, Scale: 1}}}, Path: model})
	errortest.For(t, "with proctor's kernels", err, `choose "ggml"`)
}
