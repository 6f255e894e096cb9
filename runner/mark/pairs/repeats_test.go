package pairs

import (
	"errors"
	"strings"
	"testing"

	"proctor/runner/mark/pairs/pairstest"
)

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
