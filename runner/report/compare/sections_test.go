package compare

import (
	"errors"
	"strings"
	"testing"

	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/report/page"
)

// TestWhatAFileReallyHasStandsBesideItsName has a quantisation that most tensors of its file don't have.
func TestWhatAFileReallyHasStandsBesideItsName(t *testing.T) {
	a, b := pairstest.MCQ("F16", 82, pairstest.Knows(52, 0, 0)), pairstest.MCQ("Q4_K_M", 82, pairstest.Knows(62, 0, 2))
	b.Header.Model.FellBack = "15 of 211 tensors are Q4_K: Q5_0 166 (rows of 576 are no multiple of 256); 6.17 bits a weight"
	c, browser := written(t, t.TempDir(), pairs.Options{}, a, b)
	var screen, full strings.Builder
	if err := errors.Join(shortPage(c).Text(&screen), fullPage(c).Text(&full)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"the screen": screen.String(), "all": full.String(), "a browser": browser} {
		for _, want := range []string{"Q4_K_M: " + b.Header.Model.FellBack, "bits/weight", "16.00", "4.80"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
}

// TestSubjectsAreMarkedByTheirOwnConfidence has a subject whose p lies between 1 and 5 %.
func TestSubjectsAreMarkedByTheirOwnConfidence(t *testing.T) {
	a, b := pairstest.MCQ("Q8_0", 82, pairstest.Knows(52, 0, 0)), pairstest.MCQ("Q4_K_M", 82, pairstest.Knows(62, 0, 2))
	for i := range a.Records {
		a.Records[i].Subject, b.Records[i].Subject = "law", "law"
	}
	for confidence, want := range map[float64]string{0.95: "", 0.99: insignificant} {
		c := compared(t, pairs.Options{Confidence: confidence, Rules: true}, a, b)
		p := &c.Pairs[0]
		for _, s := range []page.Section{subjectSection(p, c), ruleSection(p, c)} {
			row := s.Table.Rows[0]
			if row[len(row)-1] != want || s.Table.Head[4] != intervalName(c) || (p.CI.Low > 0) != (want == "") {
				t.Errorf("%g: %q, %q", confidence, s.Table.Head, row)
			}
		}
	}
}
