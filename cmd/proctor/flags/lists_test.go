package flags

import (
	"slices"
	"testing"

	"proctor/scripts/tests/errortest"
)

func TestRangesAreLlamaBenchs(t *testing.T) {
	for text, want := range map[string][]int{
		"512": {512}, "0": {0}, "3-5": {3, 4, 5}, "128-512+128": {128, 256, 384, 512}, "1-16*2": {1, 2, 4, 8, 16}, "1-10*3": {1, 3, 9},
	} {
		if got, err := Span(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "give a number", "x": "give a number", "-1": "give a number", "1-": "give a number", "1-4/2": "give a number",
		"99999999999": "give a number", "5-3": "ends before it begins",
		"0-8*2": "does not end", "1-8+0": "does not end", "1-8*1": "does not end", "1-100000": "more than 1000",
	} {
		_, err := Span(text)
		errortest.For(t, text, err, want)
	}
}
