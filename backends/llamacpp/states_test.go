package llamacpp

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"proctor/backends"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
)

// stateful are the architectures with recurrent layers, and whether others of their layers attend to a cache.
var stateful = map[llamatest.Architecture]bool{llamatest.Mamba: false, llamatest.Jamba: true}

func statefulPath(t *testing.T, a llamatest.Architecture) string {
	t.Helper()
	path, err := writeTiny("stateful-"+string(a)+".gguf", func(m *llamatest.Model) { m.Architecture, m.Shape.Layers = a, 4 })
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStatesAndCheckpointsArePlanned(t *testing.T) {
	for architecture, hybrid := range stateful {
		for _, slots := range []int{1, 3} {
			var lines engineLines
			m := open(t, Options{Path: statefulPath(t, architecture), Slots: slots, Context: 512, Log: lines.log})
			a, err := m.Plan(context.Background(), backends.Workload{})
			if err != nil {
				t.Fatal(err)
			}
			states, cache := lines.mebibytes(t, "RS"), 0.0
			if hybrid {
				cache = lines.mebibytes(t, "KV")
			}
			want := cache + states*float64(slots+mostCheckpoints)/float64(slots)
			if got := float64(a.KV) / (1 << 20); math.Abs(got-want) > 0.03 {
				t.Errorf("%s, %d slots: planned %.2f MiB, the engine has %.2f of states and %.2f of cache: with checkpoints %.2f",
					architecture, slots, got, states, cache, want)
			}
		}
	}
}

// The prompts of a subject go on from one state, and what is written does not depend on the number of slots.
func TestStatesGiveTheSameTextsInAnyNumberOfSlots(t *testing.T) {
	if !kernels.Available() {
		t.Skip("ggml's kernels do not promise it")
	}
	requests := fewShot(2, 6, 80, 40)
	for i := range requests {
		requests[i].MaxTokens = 12
	}
	for architecture := range stateful {
		for _, fileType := range []string{"F16", "Q4_K_M"} {
			t.Run(string(architecture)+" "+fileType, func(t *testing.T) {
				path := statefulPath(t, architecture)
				if fileType != "F16" {
					whole := path
					path = filepath.Join(scratch, "stateful-"+string(architecture)+fileType+".gguf")
					if err := llama.Quantize(whole, path, fileType); err != nil {
						t.Fatal(err)
					}
				}
				var want []string
				for _, slots := range []int{1, 3, 16} {
					m := open(t, Options{Path: path, Slots: slots, Context: 512, Batch: 128})
					var texts []string
					reused, prompt := 0, 0
					for _, c := range generate(t, m, requests...) {
						texts = append(texts, c.Text)
						reused += c.Usage.ReusedTokens
						prompt += c.Usage.PromptTokens
					}
					if slots == 1 {
						want = texts
						for i, r := range requests {
							if plain := plain(t, m, r); plain != texts[i] {
								t.Errorf("%s: got %q, the plain loop gives %q", r.ID, texts[i], plain)
							}
						}
						if n := len(slices.Compact(slices.Sorted(slices.Values(texts)))); n < len(requests)-1 {
							t.Errorf("%d different texts of %d: the test says little", n, len(requests))
						}
						continue
					}
					for i, text := range texts {
						if text != want[i] {
							t.Errorf("%d slots, %s: got %q, one slot gives %q", slots, requests[i].ID, text, want[i])
						}
					}
					t.Logf("%d slots: %d of %d prompt tokens are reused", slots, reused, prompt)
				}
			})
		}
	}
}
