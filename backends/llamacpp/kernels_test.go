package llamacpp

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llamatest"
)

func TestWeightsArePackedForTheRequestedKernels(t *testing.T) {
	path := quantised(t, tinyPath(t), "Q4_K_M")
	for _, name := range []string{KernelsGGML, DefaultKernels()} {
		var lines engineLines
		m := open(t, Options{Settings: backends.Settings{Kernels: name}, Path: path, Log: lines.log})
		info := m.settings.EngineInfo
		assert.Check(t, info.Kernels == name && info.FlashAttention == (name == KernelsProctor), "asked for %s, got %+v", name, info)
		packed := lines.mebibytes("CPU_PROCTOR model") > 0
		assert.Check(t, packed == (name == KernelsProctor), "kernels %s: packed %v", name, packed)
	}
}

// A model without an output matrix has its token embedding packed for that, and holds it as it is too. A mixture's
// experts are packed, whatever type they have.
func TestPackedWeightsArePlannedAsTheyAreHeld(t *testing.T) {
	if !kernels.Available() {
		t.Skip("there are only ggml's kernels on this CPU")
	}
	for _, test := range []struct {
		name         string
		architecture llamatest.Architecture
		experts      int    // the mixture's, where there is one
		kind         string // the type of the file
		tiles        bool   // the vocabulary fills the kernels' tiles
		twice        bool
	}{
		{"tied", llamatest.Gemma2, 0, "F16", true, true},
		{"tied, the last tile not full", llamatest.Gemma2, 0, "F16", false, true},
		{"untied", llamatest.Llama, 0, "F16", true, false},
		{"experts", llamatest.Llama, 16, "F16", true, false},
		{"experts in four bits", llamatest.Llama, 16, "Q4_K_M", true, false},
		{"experts in eight bits", llamatest.Llama, 16, "Q8_0", true, false},
	} {
		path := quantised(t, written(t, "tied.gguf", func(m *llamatest.Model) {
			m.Architecture, m.Shape.Experts, m.Shape.Active = test.architecture, test.experts, test.experts/4
			for i := 0; (m.Vocabulary.Size()%64 == 0) != test.tiles; i++ {
				m.Vocabulary = m.Vocabulary.With(fmt.Sprintf("<|spare_%d|>", i))
			}
		}), test.kind)
		var lines engineLines
		m := open(t, Options{Settings: backends.Settings{Kernels: KernelsProctor}, Path: path, Log: lines.log})
		// What is not packed is mapped from the file: the embedding of tokens and the norms.
		planned := m.memory.Allocate(m.requested).Weights
		for _, tensor := range m.file.Tensors {
			if len(tensor.Shape) < 2 || tensor.Name == "token_embd.weight" {
				planned -= tensor.Bytes
			}
		}
		if held := lines.mebibytes("CPU_PROCTOR model"); math.Abs(held-float64(planned)/(1<<20)) > 0.01 {
			t.Errorf("%s: %.2f MiB are packed, %.2f MiB planned", test.name, held, float64(planned)/(1<<20))
		}
		twice := m.memory.Allocate(m.requested).Weights > m.file.TensorBytes()
		assert.Check(t, twice == test.twice, "%s: planned twice: %v", test.name, twice)
		ggml := open(t, Options{Settings: backends.Settings{Kernels: KernelsGGML}, Path: path})
		assert.Check(t, ggml.memory.Allocate(ggml.requested).Weights == ggml.file.TensorBytes(),
			"%s: with ggml's kernels more is planned than the file holds", test.name)
	}
}

// Models that are used at the same time each compute with the kernels that they were opened with.
func TestModelsSideBySideKeepTheirKernels(t *testing.T) {
	if !kernels.Available() {
		t.Skip("there are only ggml's kernels on this CPU")
	}
	path, requests := quantised(t, tinyPath(t), "Q4_K_M"), fewShot(2, 4, 60, 24)
	var models []*Model
	var alone [][]backends.Completion
	for _, name := range []string{KernelsGGML, KernelsProctor} {
		m := open(t, Options{Settings: backends.Settings{Context: 1024}, Path: path, Like: &backends.EngineInfo{Slots: 3,
			Kernels: name, FlashAttention: true}})
		models = append(models, m)
		alone = append(alone, generate(t, m, requests...))
	}
	var both sync.WaitGroup
	for i, m := range models {
		both.Go(func() {
			for range 3 {
				for k, c := range generate(t, m, requests...) {
					assert.Check(t, c.Text == alone[i][k].Text,
						"%s beside another model: got\n%q\nalone\n%q", c.ID, c.Text, alone[i][k].Text)
				}
			}
		})
	}
	both.Wait()
}
