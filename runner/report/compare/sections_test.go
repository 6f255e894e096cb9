package compare

import (
	"testing"

	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/report/page"
)

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
