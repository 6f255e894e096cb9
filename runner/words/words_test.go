package words

import (
	"math"
	"testing"

	"proctor/runner/stats"
)

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
