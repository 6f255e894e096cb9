package llamacpp

import (
	"os"
	"testing"

	"gotest.tools/v3/assert"

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
		assert.NilError(t, err)
		var lines engineLines
		open(t, Options{Path: path, Log: lines.log})
		packed, all := lines.mebibytes(t, "CPU_PROCTOR model"), float64(info.Size())/(1<<20)
		assert.Check(t, packed >= all/2, "%s: %.1f of %.1f MiB are packed", path, packed, all)
	}
}
