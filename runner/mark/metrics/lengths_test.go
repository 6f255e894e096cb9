package metrics

import (
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/results"
)

func TestFiguresByPromptLengthAreOfEveryItemOnce(t *testing.T) {
	h, records := journaltest.MCQ(100, func(q, _ int, gold string) journaltest.Answer {
		if q >= 80 {
			return journaltest.Answer{}
		}
		return journaltest.Answer{Letter: gold}
	})
	for i := range records {
		records[i].Usage.PromptTokens = 1000 + i
	}
	lengths := func() []PromptLength {
		t.Helper()
		run, err := results.Read(&h, journaltest.Stream(records), "")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Of(run, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s.ByPromptLength
	}
	parts := lengths()
	if len(parts) != 5 {
		t.Fatalf("%d parts", len(parts))
	}
	for k, part := range parts {
		if part.From != 1000+20*k || part.To != 1019+20*k || part.Items != 20 || part.CI.IsZero() {
			t.Errorf("part %d is %d to %d of %d items", k, part.From, part.To, part.Items)
		}
		if want := 1.0; k == 4 && part.Accuracy.Or(1) != 0 || k < 4 && part.Accuracy.Or(0) != want {
			t.Errorf("part %d has the accuracy %g", k, part.Accuracy.Or(-1))
		}
	}
	for i := range records {
		records[i].Usage.PromptTokens = 1000 + i/70
	}
	if two := lengths(); len(two) != 2 || two[0].Items+two[1].Items != 100 || two[0].To != 1000 {
		t.Errorf("of two lengths there are the parts %+v", two)
	}
	records[3].Usage.PromptTokens = 0
	if none := lengths(); none != nil {
		t.Errorf("where tokens are not counted there are %d parts", len(none))
	}
}
