package divergence

import (
	"bytes"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/mark/divergence"
)

func TestAScoreSaysWhatOtherProgramsDid(t *testing.T) {
	for share, said := range map[float64]bool{0.02: false, 0.55: true} {
		var out strings.Builder
		model := &divergence.Model{Others: backends.Load{Share: share, CPUs: 2, FewestThreads: 1, MostThreads: 2}}
		assert.NilError(t, Formats[0].Write(&out, &divergence.Score{Models: []*divergence.Model{model}}))
		got := strings.Join(strings.Fields(out.String()), " ")
		assert.Check(t, strings.Contains(got, "other programs 1.1 of 2 cores while it read; computed on 1 to 2 threads") == said,
			"beside a load of %g: %s", share, got)
	}
}

// Kernels differ about as much as Q8_0 does from F16: a divergence of what another's kernels computed says so.
func TestADivergenceOfOtherKernelsNamesTheirOwn(t *testing.T) {
	for name, test := range map[string]struct {
		run, model string
		says       bool
	}{
		"others": {"ggml", "proctor", true}, "the same": {"proctor", "proctor", false},
		"not told": {"", "proctor", false},
	} {
		s := &divergence.Score{Task: "mmlu_pro", Reference: &backends.ModelInfo{Ref: "f16.gguf"},
			By:     backends.EngineInfo{Kernels: test.run},
			Models: []*divergence.Model{{Method: divergence.LowerBound, Engine: backends.EngineInfo{Kernels: test.model}}}}
		var out bytes.Buffer
		assert.NilError(t, full(s).Text(&out))
		const says = "computed with ggml's kernels and is read with proctor's: differences below about 0.002 nat"
		assert.Check(t, strings.Contains(out.String(), says) == test.says, "%s: %s", name, &out)
	}
}
