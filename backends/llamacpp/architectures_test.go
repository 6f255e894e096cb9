package llamacpp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
	"proctor/backends/llamacpp/schedule"
	"proctor/scripts/tests/sharedtest"
)

func architecturePath(t *testing.T, a llamatest.Architecture, fileType string) string {
	t.Helper()
	whole := written(t, "architecture-"+string(a)+".gguf", func(m *llamatest.Model) {
		m.Architecture, m.Shape.Layers = a, max(2, a.LeastLayers())
	})
	if fileType == "F16" {
		return whole
	}
	return quantised(t, whole, fileType)
}

// loadedPath is such a model for a published llama.cpp.
func loadedPath(t *testing.T, a llamatest.Architecture) string {
	t.Helper()
	if a != llamatest.LFM2 {
		return architecturePath(t, a, "F16")
	}
	return written(t, "loaded-"+string(a)+".gguf", func(m *llamatest.Model) {
		m.Architecture, m.Shape.Layers = a, a.LeastLayers()
		m.Renamed = map[string]string{"output_norm.weight": "token_embd_norm.weight"}
	})
}

// The test has people's models in small, with random weights. Each of them writes the text of a plain loop, with our kernels and any number of
// slots, and the common beginning of prompts is evaluated once.
func TestEveryArchitectureAnswersQuestions(t *testing.T) {
	requests := capped(fewShot(2, 4, 80, 40), 8)
	for _, architecture := range sharedtest.Few(10, llamatest.Architectures()) {
		fileType := "Q4_K_M"
		if architecture == llamatest.GPTOSS {
			fileType = "MXFP4_MOE"
		}
		t.Run(string(architecture), func(t *testing.T) {
			if DefaultKernels() == KernelsProctor {
				answerAll(t, Options{Settings: backends.Settings{Kernels: KernelsProctor}, Path: architecturePath(t, architecture,
					fileType)}, true, requests)
			}
			if DefaultKernels() != KernelsProctor || sharedtest.Thorough() || architecture == llamatest.Llama {
				answerAll(t, Options{Settings: backends.Settings{Kernels: KernelsGGML}, Path: architecturePath(t, architecture,
					"F16")}, false, requests)
			}
		})
	}
}

// The same models, and newer ones, with a published llama.cpp. What an older one does not know it refuses by name; the newest that was
// tried knows them all. Texts are the same whatever the slots, but of an architecture whose sparse attention is llama.cpp's own.
func TestEveryArchitectureOfALoadedEngineAnswersQuestions(t *testing.T) {
	folder := sharedtest.Engine(t)
	library, err := llama.OpenLibrary(folder)
	assert.NilError(t, err)
	requests := capped(fewShot(2, 12, 80, 40), 8)
	for _, architecture := range slices.Concat(llamatest.Architectures(), llamatest.Newer()) {
		t.Run(string(architecture), func(t *testing.T) {
			options := Options{Settings: backends.Settings{Engine: folder, Threads: 1}, Path: loadedPath(t, architecture)}
			m, err := Open(t.Context(), options)
			if err == nil {
				m.Close()
				answerAll(t, options, library.Kernels() == nil && architecture != llamatest.MiniMaxM3, requests)
				return
			}
			known := slices.Contains(llamatest.Architectures(), architecture) || strings.HasSuffix(library.Version(), "v0.5.0")
			refusal := strings.TrimPrefix(err.Error(), options.Path)
			assert.Assert(t, !known && strings.Contains(refusal, string(architecture)), "%v", err)
			t.Log("refused: ", err)
		})
	}
}

// Newer models are quantised by the llama.cpp that knows them.
func TestALoadedEngineQuantisesNewerModels(t *testing.T) {
	library, err := llama.OpenLibrary(sharedtest.Engine(t))
	assert.NilError(t, err)
	for _, architecture := range llamatest.Newer() {
		t.Run(string(architecture), func(t *testing.T) {
			source := loadedPath(t, architecture)
			loaded, err := Open(t.Context(), Options{Settings: backends.Settings{Engine: library.Folder(), Threads: 1},
				Path: source})
			switch {
			case err == nil:
				loaded.Close()
			case strings.HasSuffix(library.Version(), "v0.5.0"): // knows them all
				t.Fatal(err)
			default:
				t.Skip("this release does not know it: ", err)
			}
			made := filepath.Join(t.TempDir(), "q8.gguf")
			tensors := 0
			err = quantize.Write(t.Context(), quantize.Options{
				Source: source, Target: made, Type: "Q8_0", Engine: library, Progress: func(quantize.Progress) { tensors++ },
			})
			assert.Assert(t, err == nil && tensors >= 10, "%v after %d tensors", err, tensors)
			m, err := Open(t.Context(), Options{Settings: backends.Settings{Engine: library.Folder(), Threads: 1}, Path: made})
			assert.NilError(t, err)
			defer m.Close()
			info, err := m.Info(t.Context())
			assert.Check(t, err == nil && info.Model.Quantization == "Q8_0", "made %+v, %v", info, err)
		})
	}
}

// answerAll has a model answer the requests in one slot and in more. The texts must be the same; if not everywhere, three fifths of them, up
// to where each first differs: a prefix of another request changes the first token, but rounding changes a late one.
func answerAll(t *testing.T, options Options, everywhere bool, requests []backends.Request) {
	t.Helper()
	kernels := options.Kernels
	var alone []string
	counts := []int{1, 3, 16}
	if options.loaded() {
		counts = []int{1, 8, 24}
	} else if kernels == KernelsGGML || !sharedtest.Thorough() {
		counts = []int{1, 16}
	}
	for _, slots := range counts {
		options.Slots, options.Context, options.Batch = slots, 768, 128
		m := open(t, options)
		var texts []string
		evaluated, same, shared, written := 0, 0, 0, 0
		for _, c := range generate(t, m, requests...) {
			assert.Assert(t, c.Finish != backends.FinishError, "%s: %+v", kernels, c)
			texts = append(texts, c.Text)
			evaluated += c.Usage.PromptTokens - c.Usage.ReusedTokens
		}
		if slots == 1 {
			alone = texts
			for i, r := range requests[:8] {
				if text := plain(t, m, r); text != texts[i] {
					t.Errorf("%s, one slot, %s: got %q, the plain loop gives %q", kernels, r.ID, texts[i], text)
				}
			}
			n := len(slices.Compact(slices.Sorted(slices.Values(texts))))
			assert.Check(t, n >= len(requests)-1, "%s: %d different texts of %d: the test says little", kernels, n, len(requests))
		}
		for i, text := range texts {
			shared += backends.CommonPrefix([]byte(text), []byte(alone[i]))
			written += len(alone[i])
			if text == alone[i] {
				same++
			} else if everywhere {
				t.Errorf("%s, %d slots, %s: got %q, one slot gives %q", kernels, slots, requests[i].ID, text, alone[i])
			}
		}
		least := 3 * written / 5
		if strings.Contains(options.Path, string(llamatest.Gemma3n)) {
			least = written / 2 // with ggml's kernels it has 52 % on a CPU with AVX2 alone
		}
		assert.Check(t, shared >= least, "%s, %d slots: %d of %d bytes are as in one slot, %d texts", kernels, slots,
			shared, written, same)
		slack := len(requests) // where prompts part, a token may be evaluated again
		if chunk := m.traits().Chunk; chunk > 0 {
			slack *= chunk
		} else if slots == 1 {
			slack *= schedule.ExactStep
		}
		tree, total := treeOf(t, m, requests)
		assert.Check(t, evaluated >= tree && evaluated <= tree*105/100+slack,
			"%s, %d slots: %d of %d prompt tokens are evaluated, the tree of prefixes has %d",
			kernels, slots, evaluated, total, tree)
		t.Logf("%s, %d slots: %d texts as in one; %d of %d prompt tokens are evaluated, the tree of prefixes has %d",
			kernels, slots, same, evaluated, total, tree)
	}
}
