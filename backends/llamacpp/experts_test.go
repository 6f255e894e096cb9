package llamacpp

import (
	"os"
	"testing"

	"proctor/backends/llamacpp/llamatest"
)

// A mixture's experts are packed for our kernels, whatever type they have.
func TestAMixtureOfExpertsIsPacked(t *testing.T) {
	if DefaultKernels() != KernelsProctor {
		t.Skip("there are no kernels for this CPU")
	}
	whole := written(t, "experts.gguf", func(m *llamatest.Model) { m.Shape.Experts, m.Shape.Active = 6, 2 })
	for _, path := range []string{whole, quantised(t, whole, "Q4_K_M"), quantised(t, whole, "Q8_0")} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		var lines engineLines
		open(t, Options{Path: path, Log: lines.log})
		if packed, all := lines.mebibytes(t, "CPU_PROCTOR model"), float64(info.Size())/(1<<20); packed < all/2 {
			t.Errorf("%s: %.1f of %.1f MiB are packed", path, packed, all)
		}
	}
}
