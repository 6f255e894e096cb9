package llamacpp

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"proctor/backends"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
)

func quantized(t *testing.T) string {
	t.Helper()
	path := filepath.Join(scratch, "kernels-Q4_K_M.gguf")
	if err := llama.Quantize(tinyPath(t), path, "Q4_K_M"); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWeightsArePackedWhereTheKernelsAreAskedFor(t *testing.T) {
	path := quantized(t)
	for _, name := range []string{KernelsGGML, DefaultKernels()} {
		var lines engineLines
		m := open(t, Options{Path: path, Kernels: name, Log: lines.log})
		if info := m.settings.EngineInfo; info.Kernels != name || info.FlashAttention != (name == KernelsProctor) {
			t.Errorf("asked for %s, got %+v", name, info)
		}
		lines.Lock()
		packed := slices.ContainsFunc(lines.text, func(line string) bool { return strings.Contains(line, "CPU_PROCTOR model buffer") })
		lines.Unlock()
		if packed != (name == KernelsProctor) {
			t.Errorf("kernels %s: packed %v", name, packed)
		}
	}
}

// Models that are used at the same time each compute with the kernels that they were opened with.
func TestModelsSideBySideKeepTheirKernels(t *testing.T) {
	if !kernels.Available() {
		t.Skip("there are only ggml's kernels on this CPU")
	}
	path, requests := quantized(t), fewShot(2, 4, 60, 24)
	var models []*Model
	var alone [][]backends.Completion
	for _, name := range []string{KernelsGGML, KernelsProctor} {
		m := open(t, Options{Path: path, Context: 1024, Like: &backends.EngineInfo{Slots: 3, Kernels: name, FlashAttention: true}})
		models = append(models, m)
		alone = append(alone, generate(t, m, requests...))
	}
	var both sync.WaitGroup
	for i, m := range models {
		both.Go(func() {
			for range 3 {
				for k, c := range generate(t, m, requests...) {
					if c.Text != alone[i][k].Text {
						t.Errorf("%s beside another model: got\n%q\nalone\n%q", c.ID, c.Text, alone[i][k].Text)
					}
				}
			}
		})
	}
	both.Wait()
}
