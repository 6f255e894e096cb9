package llamacpp

import (
	"math"
	"proctor/backends"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/sharedtest"
)

// wideHeads writes a model with heads of the given width: a rotation needs a multiple of 64.
func wideHeads(t *testing.T, a llamatest.Architecture, width int) string {
	t.Helper()
	return written(t, "heads-"+string(a)+".gguf", func(m *llamatest.Model) {
		m.Architecture, m.Shape.Layers = a, max(2, a.LeastLayers())
		m.Shape.Heads, m.Shape.KVHeads = m.Shape.Width/width, m.Shape.Width/width
	})
}

// The rotation is decided once for a model: by what computes and by the cache's types; and a run is warned where nobody
// rotates.
func TestAQuantisedCacheIsRotatedOnce(t *testing.T) {
	path := wideHeads(t, llamatest.Llama, 128)
	both := kernels.Rotation{Keys: 128, Values: 64}
	for name, test := range map[string]struct {
		options Options
		off     string
		want    kernels.Rotation
		rotated bool
	}{
		"f16":  {Options{Path: path}, "", kernels.Rotation{}, false},
		"q4_0": {Options{Settings: backends.Settings{KVType: "q4_0"}, Path: path}, "", both, true},
		"two types": {Options{Settings: backends.Settings{KVType: "k=q8_0,v=f16"}, Path: path}, "",
			kernels.Rotation{Keys: 128}, true},
		"ggml's kernels": {Options{Settings: backends.Settings{KVType: "q4_0", Kernels: KernelsGGML}, Path: path},
			"", kernels.Rotation{}, false},
		"narrow heads": {Options{Settings: backends.Settings{KVType: "q4_0"}}, "", kernels.Rotation{}, false},
		"as the environment is": {Options{Settings: backends.Settings{KVType: "q4_0"}, Path: path}, "1", kernels.Rotation{},
			false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(llama.NeverRotate, test.off)
			if DefaultKernels() == KernelsGGML {
				test.want, test.rotated = kernels.Rotation{}, false
			}
			warned := ""
			test.options.Warn = func(text string) { warned += text }
			m := open(t, test.options)
			assert.Check(t, m.requested.Rotation == test.want && m.requested.KVRotated == test.rotated, "%+v", m.requested)
			lacks := !test.rotated && test.options.Path != "" && test.options.KVType != ""
			assert.Check(t, strings.Contains(warned, "are not rotated") == lacks, "warned: %q", warned)
		})
	}
}

// With a rotated cache every architecture predicts what it does with a whole one, and the same in any number of slots:
// where something were turned and not turned back, nothing would agree.
func TestARotatedCacheSaysWhatAWholeOneDoes(t *testing.T) {
	if DefaultKernels() == KernelsGGML {
		t.Skip("ggml's kernels of this llama.cpp do not rotate")
	}
	for _, architecture := range sharedtest.Few(10, llamatest.Architectures()) {
		t.Run(string(architecture), func(t *testing.T) {
			agree(t, Options{Path: wideHeads(t, architecture, 64)})
		})
	}
}

// A published llama.cpp rotates in its own graph or leaves it to the kernels, never both. Its own kernels rotate only
// where its graph does.
func TestALoadedEngineRotatesOnce(t *testing.T) {
	library, err := llama.OpenLibrary(sharedtest.Engine(t))
	assert.NilError(t, err)
	does, _ := library.Rotates()
	t.Logf("%s: its graph rotates: %v", library.Version(), does)
	path := wideHeads(t, llamatest.Llama, 64)
	for _, kind := range []string{"f16", "q4_0", "q8_0", "k=q8_0,v=q5_1"} {
		for _, by := range []string{KernelsProctor, KernelsGGML} {
			if by == KernelsProctor && library.Kernels() != nil {
				continue
			}
			options := Options{Settings: backends.Settings{Engine: library.Folder(), Kernels: by, KVType: kind}, Path: path}
			m := open(t, options)
			ours := m.requested.Rotation != kernels.Rotation{}
			rotated := kind != "f16" && (does || by == KernelsProctor)
			assert.Check(t, m.requested.KVRotated == rotated && ours == (rotated && !does), "%s, %s: %+v", kind, by, m.requested)
			if kind == "q8_0" {
				agree(t, options)
			}
		}
	}
}

// agree fails where the log-probabilities of what was written with a whole cache are others with a quantised one, by
// far more than they are with one that nobody rotates; and where they depend on the number of slots.
func agree(t *testing.T, options Options) {
	t.Helper()
	requests := capped(fewShot(2, 3, 80, 40), 4)
	for i := range requests {
		requests[i].Logprobs = 1
	}
	options.Context = 512
	first := func(kvType string, slots int) (logprobs []float64) {
		options.KVType, options.Slots = kvType, slots
		for _, c := range generate(t, open(t, options), requests...) {
			logprobs = append(logprobs, c.Predictions[0].Logprob)
		}
		return logprobs
	}
	want := first("f16", 4)
	off := func(got []float64) (mean float64) {
		for i := range got {
			mean += math.Abs(got[i]-want[i]) / float64(len(got))
		}
		return mean
	}
	t.Setenv(llama.NeverRotate, "1")
	plain := off(first("q8_0", 4))
	t.Setenv(llama.NeverRotate, "")
	one, many := first("q8_0", 1), first("q8_0", 16)
	t.Logf("off by %.4f, and by %.4f where nobody rotates", off(one), plain)
	assert.Check(t, off(one) < 3*plain+0.01, "log-probabilities are off by %g, and by %g where nobody rotates", off(one),
		plain)
	assert.Check(t, slices.Equal(one, many) || options.Kernels == KernelsGGML, "16 slots: %v, not %v", many, one)
}
