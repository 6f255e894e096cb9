package pairs

import (
	"math"
	"testing"

	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/errortest"
)

// TestAControlMovesTheDifferenceToTheSet has a control that says of each question what the runs do: its mean over all that it knows
// is the estimate.
func TestAControlMovesTheDifferenceToTheSet(t *testing.T) {
	a := pairstest.MCQ("Q8_0", 400, func(q int) bool { return q < 300 })
	b := pairstest.MCQ("Q4_K_M", 400, func(q int) bool { return q >= 24 && q < 310 })
	// Of 800 questions more, B loses 100.
	first := pairstest.MCQ("Q8_0", 1200, func(q int) bool { return q < 300 || q >= 400 }).Write(t, "first")
	second := pairstest.MCQ("Q4_K_M", 1200, func(q int) bool { return q >= 24 && q < 310 || q >= 500 }).Write(t, "second")
	few := pairstest.MCQ("Q4_K_M", 200, func(q int) bool { return q >= 24 }).Write(t, "few")
	runs := []string{a.Write(t, "a"), b.Write(t, "b")}
	with, err := Of(runs, Options{Control: []string{first, second}})
	if err != nil {
		t.Fatal(err)
	}
	p := with.Pairs[0]
	x, want := p.Control, float64(-24+10-100)/1200
	if x == nil || x.Of != 1200 || math.Abs(x.Difference.Or(9)-want) > 1e-9 || math.Abs(x.Rho.Or(0)-1) > 1e-9 ||
		x.CI.Low >= want || x.CI.High <= want || x.Worth.Or(0) < 1 {
		t.Errorf("%+v, want %g", x, want)
	}
	without, err := Of(runs, Options{})
	if err != nil || without.Verdict != with.Verdict || without.Pairs[0].Control != nil {
		t.Errorf("the verdict is %q, with a control %q, %v", without.Verdict, with.Verdict, err)
	}
	for says, control := range map[string][]string{
		"1 runs: give two":              {first},
		"is of another model or":        {second, first},
		"have no answer to question 20": {first, few},
	} {
		_, err := Of(runs, Options{Control: control})
		errortest.For(t, says, err, says)
	}
}
