package llama

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestFeaturesOfTheEngineAreRead(t *testing.T) {
	want := []string{"SSE3", "AVX2", "LLAMAFILE"}
	got := cpuOf("CPU : SSE3 = 1 | AVX2 = 1 | AVX512 = 0 | LLAMAFILE = 1 | ", true)
	assert.Check(t, slices.Equal(got.Compiled, want) && !slices.Contains(got.Unused, "AVX2"), "got %+v, want %v", got, want)
	c := cpuOf("CPU : SSE3 = 1 | ", false)
	assert.Check(t, len(c.Unused) == 0 && len(c.Compiled) == 1, "a library with a variant for each CPU: %+v", c)
	w := (CPU{Unused: []string{"AVX2"}}).Warning()
	assert.Check(t, strings.Contains(w, "AVX2") && strings.Contains(w, "make"), "warning %q", w)
}
