package adaptive

import (
	"math"
	"testing"
)

// TestMadeUpRunsTakeFewerQuestionsOfALargerMargin has the sizes fall as the margin grows, and be those of a uniform draw or fewer.
func TestMadeUpRunsTakeFewerQuestionsOfALargerMargin(t *testing.T) {
	strata := []Stratum{{250, true, 2}, {750, true, 1}, {2500, true, -0.5}, {200, false, 1.5}, {800, false, -0.3}}
	narrow, wide := SizeOf(strata, 0.01, 0.05, 0, 100, 8, 31), SizeOf(strata, 0.03, 0.05, 0, 100, 8, 31)
	if narrow.Median > narrow.Ninety || wide.Median >= narrow.Median || wide.Median < 40 || narrow.Ninety > 4500 {
		t.Errorf("%+v, %+v", narrow, wide)
	}
	if narrow.Flips < 0.01 || narrow.Flips > 0.1 {
		t.Errorf("%+v", narrow)
	}
	if again := SizeOf(strata, 0.01, 0.05, 0, 100, 8, 31); again != narrow {
		t.Errorf("%+v, then %+v", narrow, again)
	}
	if narrow.Mean < 40 || narrow.Mean > float64(narrow.Ninety) {
		t.Errorf("the mean is %g", narrow.Mean)
	}
	if many := SizeOf(strata, 0.03, 0.05, 0.15, 100, 8, 31); many.Median <= wide.Median || math.Abs(many.Flips-0.15) > 1e-6 {
		t.Errorf("where 15 %% flip: %+v, and %+v", many, wide)
	}
}

// TestFlipsAreEven has as many answers flip to the better as to the worse, and as many altogether as is asked for.
func TestFlipsAreEven(t *testing.T) {
	strata := []Stratum{{250, true, 2}, {750, true, 1}, {2500, true, -0.5}, {200, false, 1.5}, {800, false, -0.3}}
	for flips, want := range map[float64]float64{0: 440, 0.2: 900, 0.02: 90, 0.9: 1800} { // at most 900 of each side can
		all, balance := 0.0, 0.0
		for h, share := range evenly(strata, []float64{0.5, 0.2, 0.01, 0.3, 0.1}, flips) {
			all += float64(strata[h].Questions) * share
			balance += float64(strata[h].Questions) * share * strata[h].flip()
		}
		if math.Abs(balance) > 1 || math.Abs(all-want) > 1 {
			t.Errorf("%g: %g answers flip, want %g; the models differ by %g questions", flips, all, want, balance)
		}
	}
}
