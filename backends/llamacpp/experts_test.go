package llamacpp

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
)

// A mixture of experts is multiplied by our kernels, the choice of experts too, and writes with any number of slots what it
// writes with one.
func TestAMixtureOfExpertsIsMultipliedByOurKernels(t *testing.T) {
	if DefaultKernels() != KernelsProctor {
		t.Skip("there are no kernels for this CPU")
	}
	whole, err := writeTiny("experts.gguf", func(m *llamatest.Model) { m.Shape.Experts, m.Shape.Active = 6, 2 })
	if err != nil {
		t.Fatal(err)
	}
	for _, fileType := range []string{"F16", "Q4_K_M", "Q8_0"} {
		path := whole
		if fileType != "F16" {
			path = filepath.Join(scratch, "experts-"+fileType+".gguf")
			if err := quantize.Write(t.Context(), quantize.Options{Source: whole, Target: path, Type: fileType}); err != nil {
				t.Fatal(err)
			}
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		requests := capped(fewShot(2, 6, 40, 12), 16)
		texts := map[string][]string{}
		for name, options := range map[string]Options{
			"one slot":    {Slots: 1, Kernels: KernelsProctor},
			"eight slots": {Slots: 8, Kernels: KernelsProctor},
			"ggml's":      {Slots: 1, Kernels: KernelsGGML},
		} {
			options.Path, options.Context, options.Batch = path, 512, 128
			var lines engineLines
			options.Log = lines.log
			for _, c := range generate(t, open(t, options), requests...) {
				texts[name] = append(texts[name], c.Text)
			}
			if options.Kernels == KernelsGGML {
				continue
			}
			if packed, all := lines.mebibytes(t, "CPU_PROCTOR model"), float64(info.Size())/(1<<20); packed < all/2 {
				t.Errorf("%s: %.1f of %.1f MiB are packed", fileType, packed, all)
			}
		}
		if !slices.Equal(texts["one slot"], texts["eight slots"]) {
			t.Errorf("%s: %q with one slot, %q with eight", fileType, texts["one slot"], texts["eight slots"])
		}
		same := 0
		for i, text := range texts["one slot"] {
			if firstLetters(text) == firstLetters(texts["ggml's"][i]) {
				same++
			}
		}
		if same < len(requests)/2 {
			t.Errorf("%s: %d of %d texts begin as with ggml's kernels", fileType, same, len(requests))
		}
	}
}
