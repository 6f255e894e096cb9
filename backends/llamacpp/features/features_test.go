package features

import (
	"slices"
	"strings"
	"testing"
)

func TestFeaturesOfTheEngineAreRead(t *testing.T) {
	got := enabled("CPU : SSE3 = 1 | AVX2 = 1 | AVX512 = 0 | LLAMAFILE = 1 | ")
	if want := []string{"SSE3", "AVX2", "LLAMAFILE"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if c := Of("CPU : SSE3 = 1 | ", true); (c.Warning() != "") != (len(c.Unused) > 0) {
		t.Errorf("%+v", c)
	}
	if c := Of("CPU : SSE3 = 1 | ", false); c.Warning() != "" || len(c.Compiled) != 1 {
		t.Errorf("a library with a variant for each CPU: %+v", c)
	}
	if w := (CPU{Unused: []string{"AVX2"}}).Warning(); !strings.Contains(w, "AVX2") || !strings.Contains(w, "make") {
		t.Errorf("warning %q", w)
	}
}
