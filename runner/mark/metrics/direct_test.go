package metrics

import (
	"math"
	"testing"

	"proctor/runner/journal/journaltest"
)

func directSummary(t *testing.T, lessMass float64) *Summary {
	t.Helper()
	h, records := journaltest.MCQ(40, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h, records = journaltest.Direct(h, records, 2, 3)
	for i := range records {
		for j := range records[i].LetterLogprobs {
			records[i].LetterLogprobs[j] -= lessMass
		}
	}
	return mustBuild(t, h, records, Options{})
}

func TestTheMassOnTheLettersChangesNothingAmongThem(t *testing.T) {
	whole, part := directSummary(t, 0), directSummary(t, 3)
	a, b := whole.Direct, part.Direct
	if len(whole.About(AboutDirect)) != 0 || len(part.About(AboutDirect)) != 1 {
		t.Errorf("warnings %q and %q", whole.About(AboutDirect), part.About(AboutDirect))
	}
	for name, figures := range map[string][2]float64{
		"log p(gold)": {a.GoldLogprob.Or(0), b.GoldLogprob.Or(9)}, "Brier": {a.Brier.Or(0), b.Brier.Or(9)},
		"vocabulary": {a.GoldVocabulary.Or(0) - 3, b.GoldVocabulary.Or(9)},
		"mass":       {a.LetterMass.Or(0) * math.Exp(-3), b.LetterMass.Or(9)},
	} {
		if math.Abs(figures[0]-figures[1]) > 1e-9 {
			t.Errorf("%s: %g and %g", name, figures[0], figures[1])
		}
	}
	if whole.Accuracy.Or(0) != 1 || a.Items != 40 || a.Overconfidence.Or(9) >= 0 {
		t.Errorf("accuracy %g of %d, overconfidence %g", whole.Accuracy.Or(0), a.Items, a.Overconfidence.Or(9))
	}
}
