package format

import (
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/mark/stats"
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
				assert.Check(t, err != nil && strings.Contains(err.Error(), says),
					"%s, %q as a %s: %v, %v; want an error with %q", test.name, test.text, kind, got, err, says)
			} else if err != nil || got != want {
				t.Errorf("%s, %q as a %s: %v, %v; want %v", test.name, test.text, kind, got, err, want)
			}
		}
	}
}

func TestPrintedNumbersCanBeTypedAgain(t *testing.T) {
	for x, want := range map[float64]string{0.01: "1", 0.029: "2.9", 0.0075: "0.75", 0.95: "95", 0: "0", 1.0 / 3: "33.3333333333"} {
		if got := TypedPoints(x); got != want+"pp" {
			t.Errorf("%g: %s, want %spp", x, got, want)
		}
		if got := TypedShare(x); got != want+"%" {
			t.Errorf("%g: %s, want %s%%", x, got, want)
		}
		back, err := ParsePoints(TypedPoints(x))
		assert.Check(t, err == nil && back-x <= 1e-12 && x-back <= 1e-12, "%g, typed again, is %g, %v", x, back, err)
	}
}

func TestSmallProbabilitiesAreToldAsSmall(t *testing.T) {
	for want, numbers := range map[string][]stats.Number{
		"p = 0.0312": {stats.Of(1.0 / 32)}, "p n/a": {stats.Undefined}, "p = 1.0000": {stats.Of(1)},
		"p = 0.0001": {stats.Of(1e-4), stats.Of(math.Nextafter(1e-4, 0))},
		"p < 0.0001": {stats.Of(9.99e-5), stats.Of(1.7e-12), stats.Of(1e-300), stats.Of(0)},
	} {
		for _, p := range numbers {
			assert.Check(t, is.Equal(Probability(p), want))
		}
	}
}

// Machines differ in the last bits of a sum, and people read the same.
func TestTheLastBitsOfAFigureAreNotSeen(t *testing.T) {
	for _, toward := range []float64{0, 1} {
		if got := Plain(stats.Of(math.Nextafter(1.0/32, toward))); got != "0.0312" {
			t.Errorf("1/32, a bit toward %g: %s", toward, got)
		}
		if got := Percent(stats.Of(math.Nextafter(0.41125, toward))); got != "41.12 %" {
			t.Errorf("41.125 %%, a bit toward %g: %s", toward, got)
		}
	}
}

func TestManyNamesAreShort(t *testing.T) {
	many := []string{"biology", "business", "chemistry", "economics"}
	for want, names := range map[string][]string{
		"": nil, "biology, business, chemistry": many[:3], "biology, business, 2 more": many,
	} {
		assert.Check(t, is.Equal(Few(names), want), "%q", names)
	}
}

func TestAMethodHasItsAuthorsName(t *testing.T) {
	for method, want := range map[string]string{
		"wilson": "Wilson", "wilson by question": "Wilson by question", "tango score, continuity": "Tango score, continuity",
		"cluster t":       "cluster t",
		"wilson, widened": "Wilson, widened where few are right or wrong",
	} {
		assert.Check(t, is.Equal(Method(stats.Interval{Method: method}), want), "%s", method)
	}
}

func TestATimeThatLiesInARangeHasOneUnit(t *testing.T) {
	for want, bounds := range map[string][2]float64{
		"1 to 2 s": {0.2, 0.4}, "33 to 85 s": {33.4, 84.2}, "40 to 60 min": {2410, 3580}, "2.1 to 3.0 h": {7560, 10800},
	} {
		assert.Check(t, is.Equal(Between(bounds[0], bounds[1]), want), "%v", bounds)
	}
}
