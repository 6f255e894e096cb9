package format

import (
	"math"
	"testing"

	"proctor/runner/mark/stats"
)

func TestSmallProbabilitiesAreToldAsSmall(t *testing.T) {
	for want, numbers := range map[string][]stats.Number{
		"p = 0.0312": {stats.Of(1.0 / 32)}, "p n/a": {stats.Undefined}, "p = 1.0000": {stats.Of(1)},
		"p = 0.0001": {stats.Of(1e-4), stats.Of(math.Nextafter(1e-4, 0))},
		"p < 0.0001": {stats.Of(9.99e-5), stats.Of(1.7e-12), stats.Of(1e-300), stats.Of(0)},
	} {
		for _, p := range numbers {
			if got := Probability(p); got != want {
				t.Errorf("%s, want %s", got, want)
			}
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
		if got := Few(names); got != want {
			t.Errorf("%q: %q, want %q", names, got, want)
		}
	}
}

func TestAMethodHasItsAuthorsName(t *testing.T) {
	for method, want := range map[string]string{
		"wilson": "Wilson", "wilson by question": "Wilson by question", "tango score, continuity": "Tango score, continuity",
		"cluster t":       "cluster t",
		"wilson, widened": "Wilson, widened where few are right or wrong",
	} {
		if got := Method(stats.Interval{Method: method}); got != want {
			t.Errorf("%s is %q, want %q", method, got, want)
		}
	}
}

func TestATimeThatLiesInARangeHasOneUnit(t *testing.T) {
	for want, bounds := range map[string][2]float64{
		"1 to 2 s": {0.2, 0.4}, "33 to 85 s": {33.4, 84.2}, "40 to 60 min": {2410, 3580}, "2.1 to 3.0 h": {7560, 10800},
	} {
		if got := Between(bounds[0], bounds[1]); got != want {
			t.Errorf("%v is %q, want %q", bounds, got, want)
		}
	}
}
