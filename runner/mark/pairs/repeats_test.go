package pairs

import (
	"errors"
	"math"
	"strings"
	"testing"

	"proctor/runner/mark/pairs/pairstest"
)

func TestRepeatedRunsAreComparedByTheMeansOfTheirQuestions(t *testing.T) {
	const questions, times = 240, 3
	knows := [2]func(q, repeat int) bool{
		func(q, repeat int) bool { return q%3 != 0 || repeat == q%4 },
		func(q, repeat int) bool { return q%4 != 0 || repeat == 2 },
	}
	a := pairstest.MCQ("Q8_0", questions, func(int) bool { return true }).Again(times, knows[0])
	b := pairstest.MCQ("Q4_K_M", questions, func(int) bool { return true }).Again(times, knows[1])
	pair := compared(t, Options{}, a, b).Pairs[0]

	mean, square := 0.0, 0.0
	for q := range questions {
		difference := 0.0
		for repeat := 1; repeat <= times; repeat++ {
			for sign, knows := range knows {
				if knows(q, repeat) {
					difference += float64(2*sign-1) / times
				}
			}
		}
		mean += difference / questions
		square += difference * difference / questions
	}
	if got := pair.Difference.Or(9); math.Abs(got-mean) > 1e-12 {
		t.Errorf("difference %g, want %g", got, mean)
	}
	pairstest.Near(t, "standard error", pair.SE, math.Sqrt((square-mean*mean)/(questions-1)))
	if pair.Test != "score of totals" || pair.PMcNemar.Defined() {
		t.Errorf("test %q: an exact test needs independent items", pair.Test)
	}
	if pair.Items != questions*times || pair.Questions != questions {
		t.Errorf("%d items of %d questions", pair.Items, pair.Questions)
	}
}

func TestRepeatsOfRotationsDoNotCountAsMoreQuestions(t *testing.T) {
	right := [2]func(q, rotation int) bool{
		func(q, rotation int) bool { return q%3 > 0 },
		func(q, rotation int) bool { return q%2 > 0 || q%3 == 0 && rotation < 2 },
	}
	once := compared(t, Options{}, pairstest.Circular("Q8_0", 60, right[0]), pairstest.Circular("Q4_K_M", 60, right[1])).Pairs[0]
	twice := compared(t, Options{},
		pairstest.Circular("Q8_0", 60, right[0]).Again(2, nil), pairstest.Circular("Q4_K_M", 60, right[1]).Again(2, nil)).Pairs[0]
	// Questions with as many repeats have about the error of questions asked once.
	if once.ValueA != twice.ValueA || once.ValueB != twice.ValueB || math.Abs(twice.SE.Or(9)/once.SE.Or(1)-1) > 0.03 {
		t.Errorf("asked once %+v, asked twice %+v", once.Outcome, twice.Outcome)
	}
	if twice.Test != "score of totals" {
		t.Errorf("test %q", twice.Test)
	}
}

func TestRunsWithOtherRepeatsAreRefused(t *testing.T) {
	all := func(int) bool { return true }
	a, b := pairstest.MCQ("Q8_0", 30, all).Again(3, nil).Write(t, "a"), pairstest.MCQ("Q4_K_M", 30, all).Write(t, "b")
	_, err := Of([]string{a, b}, Options{})
	var refused *NotComparableError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "repeats (3 and 1)") {
		t.Fatalf("error %v", err)
	}
	forced, err := Of([]string{a, b}, Options{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	if pair := forced.Pairs[0]; pair.Items != 30 || pair.LeftOut != 60 || len(pair.Warnings) == 0 {
		t.Errorf("%d items, %d left out, warnings %q", pair.Items, pair.LeftOut, pair.Warnings)
	}
}
