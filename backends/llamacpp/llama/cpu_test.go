package llama

import (
	"slices"
	"strings"
	"testing"
)

func TestFeaturesOfTheEngineAreRead(t *testing.T) {
	want := []string{"SSE3", "AVX2", "LLAMAFILE"}
	got := cpuOf("CPU : SSE3 = 1 | AVX2 = 1 | AVX512 = 0 | LLAMAFILE = 1 | ", true)
	if !slices.Equal(got.Compiled, want) || slices.Contains(got.Unused, "AVX2") {
		t.Errorf("got %+v, want %v", got, want)
	}
	if c := cpuOf("CPU : SSE3 = 1 | ", false); len(c.Unused) > 0 || len(c.Compiled) != 1 {
		t.Errorf("a library with a variant for each CPU: %+v", c)
	}
	if w := (CPU{Unused: []string{"AVX2"}}).Warning(); !strings.Contains(w, "AVX2") || !strings.Contains(w, "make") {
		t.Errorf("warning %q", w)
	}
}
