package adaptive

import "testing"

// TestMadeUpRunsTakeFewerQuestionsOfALargerMargin has the sizes fall as the margin grows, and be those of a uniform draw or fewer.
func TestMadeUpRunsTakeFewerQuestionsOfALargerMargin(t *testing.T) {
	strata := []Stratum{{250, true, 2}, {750, true, 1}, {2500, true, -0.5}, {200, false, 1.5}, {800, false, -0.3}}
	narrow, wide := SizeOf(strata, 0.01, 0.05, 100, 8, 31), SizeOf(strata, 0.03, 0.05, 100, 8, 31)
	if narrow.Median > narrow.Ninety || wide.Median >= narrow.Median || wide.Median < 100 || narrow.Ninety > 4500 {
		t.Errorf("%+v, %+v", narrow, wide)
	}
	if narrow.Flips < 0.01 || narrow.Flips > 0.1 {
		t.Errorf("%+v", narrow)
	}
	if again := SizeOf(strata, 0.01, 0.05, 100, 8, 31); again != narrow {
		t.Errorf("%+v, then %+v", narrow, again)
	}
	all := evenly(strata, []float64{0.5, 0.2, 0.01, 0.3, 0.1})
	balance := 0.0
	for h, s := range strata {
		balance += float64(s.Questions) * all[h] * s.flip()
	}
	if balance > 1e-9 || balance < -1e-9 {
		t.Errorf("the models differ by %g questions", balance)
	}
}
