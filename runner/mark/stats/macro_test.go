package stats

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// subject has asked questions, each asked once, and correct of them answered right.
func subject(asked, correct int) []float64 {
	scores := make([]float64, asked)
	for i := range correct {
		scores[i] = 1
	}
	return scores
}

func TestMacroByHand(t *testing.T) {
	macro := Macro([][]float64{subject(5, 4), subject(11, 1)}, 0.95)
	near(t, "macro accuracy", value(t, "macro", macro.Value), (0.8+1.0/11)/2, 1e-15)
	near(t, "macro standard error", value(t, "SE", macro.SE), math.Sqrt(0.04+1.0/121)/2, 1e-15)
	of := Macro([][]float64{{0, 0.5, 1, 0.5}, {0.25, 0.75}}, 0.95) // s² are 1/6 and 1/8
	near(t, "mean of scores", value(t, "mean", of.Value), 0.5, 1e-15)
	near(t, "standard error of scores", value(t, "SE", of.SE), math.Sqrt(1.0/6/4+1.0/8/2)/2, 1e-15)
	if len(macro.Warnings)+len(of.Warnings) != 0 {
		t.Errorf("nothing is missing: %q, %q", macro.Warnings, of.Warnings)
	}
}

func TestOneSubjectIsAPlainProportion(t *testing.T) {
	got := Macro([][]float64{subject(50, 20)}, 0.95).Interval
	want := Proportion(20, 49, 0.95).Interval // the effective size is n−1
	near(t, "width", got.High-got.Low, want.High-want.Low, 2e-3)
	if !got.Contains(0.4) {
		t.Errorf("%+v does not hold 0.4", got)
	}
}

func TestSubjectsThatCannotSpeakSaySo(t *testing.T) {
	got := Macro([][]float64{subject(1, 1), subject(4, 2), nil}, 0.95)
	near(t, "accuracy of those asked", value(t, "accuracy", got.Value), 0.75, 1e-15)
	if len(got.Warnings) != 2 {
		t.Errorf("warnings %q, want one for the lone question and one for the missing subject", got.Warnings)
	}
	for _, nothing := range [][][]float64{nil, {nil}} {
		if none := Macro(nothing, 0.95); none.Value.Defined() || !none.Interval.IsZero() {
			t.Errorf("nothing asked: %+v", none)
		}
	}
	right := Macro([][]float64{subject(5, 5), subject(5, 5)}, 0.95)
	near(t, "all right: as of ten questions", right.Interval.Low, math.Pow(0.035, 0.1), 1e-12)
}

func TestASubjectWithOneQuestionTakesTheVarianceOfAll(t *testing.T) {
	got := Macro([][]float64{subject(1, 1), subject(5, 3)}, 0.95)
	// all: 4 of 6 right, variance 2/9; the other subject: s² = 0.3
	near(t, "standard error", value(t, "SE", got.SE), math.Sqrt(2.0/9+0.3/5)/2, 1e-15)
}

func TestTheIntervalBorrowsVarianceWhereFewWereAsked(t *testing.T) {
	// n = 3: of each subject's ¼/3 two thirds take S², a third its own s².
	for _, c := range []struct {
		first     []float64
		mean      float64
		effective float64
	}{
		{[]float64{1, 1, 1}, 1.0 / 2, 9},         // ¼ / (2 · 1/12 · ⅔ · ¼)
		{[]float64{0, 0, 0}, 0, 6},               // all alike: 1 / (2 · 1/12)
		{[]float64{1, 1, 0}, 1.0 / 3, 72.0 / 11}, // 2/9 / (1/12 · ⅓ · ⅓ + 2 · 1/12 · ⅔ · 2/9)
	} {
		e := Macro([][]float64{c.first, {0, 0, 0}}, 0.95)
		want := share{c.mean, c.effective}.interval(0.95, "", 0)
		near(t, "value", value(t, "value", e.Value), c.mean, 1e-12)
		near(t, "low", e.Interval.Low, want.Low, 1e-12)
		near(t, "high", e.Interval.High, want.High, 1e-12)
	}
	halves := []float64{0.5, 0.5, 0.5}
	near(t, "low of halves", Macro([][]float64{halves, halves}, 0.95).Interval.Low, share{0.5, 6}.interval(0.95, "", 0).Low, 1e-12)
}

// TestAMacroAccuracyOfFewErrorsCovers draws subjects that are nearly always right: where all of a draw is right, the mean of 14
// ones is 1 up to rounding, and no interval of its own.
func TestAMacroAccuracyOfFewErrorsCovers(t *testing.T) {
	draws, slack := 1500, 3.0
	if os.Getenv("LONG") != "" {
		draws, slack = 10_000, 2
	}
	random := rand.New(rand.NewPCG(36, 8))
	for _, c := range []struct {
		each  int
		right float64
	}{{5, 0.97}, {10, 0.99}, {20, 0.99}, {5, 0.9}, {20, 0.97}} {
		share := covers(draws, c.right, func() Interval {
			subjects := make([][]float64, 14)
			for h := range subjects {
				subjects[h] = subject(c.each, drawPairs(random, c.each, c.right, 0, 0).Both)
			}
			return Macro(subjects, 0.95).Interval
		})
		if share < 0.93-slack*math.Sqrt(0.93*0.07/float64(draws)) {
			t.Errorf("%d questions of each subject, %g right: covers %.4f", c.each, c.right, share)
		}
	}
	for _, count := range []int{3, 6, 7, 14, 49} {
		subjects := make([][]float64, count)
		for h := range subjects {
			subjects[h] = subject(2, 2)
		}
		if e := Macro(subjects, 0.95); e.Value.Or(0) != 1 || e.Interval.High != 1 || e.Interval.Low > 0.98 {
			t.Errorf("%d subjects, all right: %v in %+v", count, e.Value, e.Interval)
		}
	}
}
