package combine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/mark/stats"
)

// share is the figure of n items with a number of right ones; guessing is the share that guessing gets.
func share(n, right int, guessing float64) Figure {
	return Figure{Value: stats.Ratio(right, n), CI: stats.Proportion(right, n, 0.95).Interval, Baseline: stats.Of(guessing), Over: n, Subjects: 1}
}

func near(t *testing.T, what string, got interface{ Or(float64) float64 }, want float64) {
	t.Helper()
	x := got.Or(math.NaN())
	assert.Check(t, math.Abs(x-want) < 1e-12, "%s: %.15g, want %.15g", what, x, want)
}

func TestAMeanByHand(t *testing.T) {
	a, b := share(40, 20, 0.1), share(160, 40, 0.2)
	for _, test := range []struct {
		shared bool
		add    func(x, y float64) float64
		method string
	}{
		{false, math.Hypot, "square-and-add of the tasks' intervals"},
		{true, func(x, y float64) float64 { return x + y }, "sum of the tasks' intervals"},
	} {
		f := MeanOf([]Figure{a, b}, test.shared)
		near(t, "value", f.Value, (0.5+0.25)/2)
		near(t, "guessing", f.Baseline, (0.1+0.2)/2)
		near(t, "low", stats.Of(f.CI.Low), 0.375-test.add((0.5-a.CI.Low)/2, (0.25-b.CI.Low)/2))
		near(t, "high", stats.Of(f.CI.High), 0.375+test.add((a.CI.High-0.5)/2, (b.CI.High-0.25)/2))
		assert.Check(t, f.CI.Confidence == 0.95 && f.CI.Method == test.method && f.Over == 200 && f.Subjects == 2, "%+v", f)
	}
}

func TestAMeanLacksWhatOneOfItsFiguresLacks(t *testing.T) {
	whole := share(40, 20, 0.1)
	none := MeanOf([]Figure{{}, whole}, false)
	assert.Check(t, !none.Value.Defined() && none.CI.IsZero(), "%+v", none)
	bare := whole
	bare.CI = stats.Interval{}
	for _, figures := range [][]Figure{{bare, whole}, {whole, bare}} {
		f := MeanOf(figures, false)
		assert.Check(t, f.CI.IsZero() && f.Value.Or(0) == 0.5, "of an interval and none: %+v", f)
	}
}

func TestBoundsAreShares(t *testing.T) {
	for _, right := range []int{0, 9} {
		for _, shared := range []bool{false, true} {
			f := MeanOf([]Figure{share(9, right, 0.1), share(9, right, 0.5)}, shared)
			assert.Check(t, f.CI.Low >= 0 && f.CI.High <= 1 && f.CI.Contains(float64(right)/9), "%d of 9: %+v", right, f.CI)
		}
	}
}

func TestTheIntervalOfAMeanCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 14))
	for _, parts := range [][]struct {
		n int
		p float64
	}{{{40, 0.3}, {160, 0.7}}, {{30, 0.1}, {30, 0.5}, {300, 0.8}}} {
		mean := 0.0
		for _, p := range parts {
			mean += p.p / float64(len(parts))
		}
		held, tries := 0.0, 4000
		for range tries {
			var figures []Figure
			for _, p := range parts {
				right := 0
				for range p.n {
					if random.Float64() < p.p {
						right++
					}
				}
				figures = append(figures, share(p.n, right, 0.1))
			}
			if MeanOf(figures, false).CI.Contains(mean) {
				held += 1 / float64(tries)
			}
		}
		assert.Check(t, held >= 0.93 && held <= 0.97, "%s covers %.4f", fmt.Sprint(parts), held)
	}
}
