package format

import (
	"strings"
	"testing"
)

func TestSharesAndDifferencesAreTypedInOneWay(t *testing.T) {
	for _, test := range []struct {
		name, text  string
		share, diff any // the value, or what its error says
	}{
		{"percent", "2%", 0.02, 0.02},
		{"a fraction", "0.02", 0.02, 0.02},
		{"a fraction without its 0", ".5", 0.5, 0.5},
		{"digits that a division would spoil", "2.9%", 0.029, 0.029},
		{"a space before the unit", "2 %", 0.02, 0.02},
		{"a power of ten", "1e-3", 0.001, 0.001},
		{"points", "1pp", "1pp is a difference of shares, a share is wanted: write 1%", 0.01},
		{"nothing of it", "0", 0.0, 0.0},
		{"all of it", "100%", 1.0, "100% is too much: there are 100% at most"},
		{"a bare 1", "1", 1.0, "1 is a hundred percentage points: 1pp is meant?"},
		{"percent without the sign", "50", "50 is over 1: 50% is meant?", "50 is over 1: 50pp is meant?"},
		{"more than there is", "150%", "150% is too much: there are 100% at most", "150% is too much: there are 100% at most"},
		{"more than there is in points", "150pp", "write 150%", "150pp is too much: there are 100pp at most"},
		{"a large number", "700", "700 is over 1, and over 100%", "700 is over 1, and over 100pp"},
		{"below 0", "-1%", "-1% is below 0: write a share as 2% or 0.02", "-1% is below 0: write a difference of shares as 1pp or 0.01"},
		{"a word", "half", `"half" is not a share: write it as 2% or 0.02`, `"half" is not a difference of shares: write it as 1pp or 0.01`},
		{"not a number", "NaN", `"NaN" is not a share`, `"NaN" is not a difference`},
		{"nothing", "", `"" is not a share`, `"" is not a difference`},
		{"another unit", "2km", `"2km" is not a share`, `"2km" is not a difference`},
		{"too large for a number", "1e999", `"1e999" is not a share`, `"1e999" is not a difference`},
		{"a power and a unit", "1e1%", `"1e1%" is not a share`, `"1e1%" is not a difference`},
	} {
		for kind, parse := range map[string]func(string) (float64, error){"share": ParseShare, "difference": ParsePoints} {
			want := test.share
			if kind == "difference" {
				want = test.diff
			}
			got, err := parse(test.text)
			if says, refused := want.(string); refused {
				if err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("%s, %q as a %s: %v, %v; want an error with %q", test.name, test.text, kind, got, err, says)
				}
			} else if err != nil || got != want {
				t.Errorf("%s, %q as a %s: %v, %v; want %v", test.name, test.text, kind, got, err, want)
			}
		}
	}
}

func TestWhatIsPrintedCanBeTypedAgain(t *testing.T) {
	for x, want := range map[float64]string{0.01: "1", 0.029: "2.9", 0.0075: "0.75", 0.95: "95", 0: "0", 1.0 / 3: "33.3333333333"} {
		if got := TypedPoints(x); got != want+"pp" {
			t.Errorf("%g: %s, want %spp", x, got, want)
		}
		if got := TypedShare(x); got != want+"%" {
			t.Errorf("%g: %s, want %s%%", x, got, want)
		}
		if back, err := ParsePoints(TypedPoints(x)); err != nil || back-x > 1e-12 || x-back > 1e-12 {
			t.Errorf("%g, typed again, is %g, %v", x, back, err)
		}
	}
}
