package score

import (
	"bytes"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
)

// Kernels differ about as much as Q8_0 does from F16: a divergence of what another's kernels computed says so.
func TestADivergenceOfOtherKernelsNamesTheirOwn(t *testing.T) {
	for name, test := range map[string]struct {
		run, model string
		method     Method
		says       bool
	}{
		"others": {"ggml", "proctor", LowerBound, true}, "the same": {"proctor", "proctor", LowerBound, false},
		"both read now": {"ggml", "proctor", Exact, false}, "not told": {"", "proctor", LowerBound, false},
	} {
		s := &Score{Task: "mmlu_pro", Reference: &backends.ModelInfo{Ref: "f16.gguf"}, by: backends.EngineInfo{Kernels: test.run},
			Models: []*Model{{Method: test.method, Engine: backends.EngineInfo{Kernels: test.model}}}}
		var out bytes.Buffer
		assert.NilError(t, s.page().Text(&out))
		if strings.Contains(out.String(), "computed with ggml's kernels and is read with proctor's: differences below about 0.002 nat") != test.says {
			t.Errorf("%s: %s", name, &out)
		}
	}
}
