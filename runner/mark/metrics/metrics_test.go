package metrics

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

func mustBuild(t testing.TB, h journal.Header, records []journal.Record, o Options) *Summary {
	t.Helper()
	r, err := Open(journaltest.Keep(t, t.TempDir(), h, records), o)
	assert.NilError(t, err)
	return r
}

func TestAccuracyCountsNoAnswerAsWrongAndLeavesErrorsOut(t *testing.T) {
	h, records := journaltest.MCQ(20, func(q, _ int, gold string) journaltest.Answer {
		switch {
		case q < 2:
			return journaltest.Answer{Failed: backends.CauseConnection}
		case q < 5:
			return journaltest.Answer{}
		case q < 14:
			return journaltest.Answer{Letter: gold}
		}
		return journaltest.Answer{Letter: "A", Capped: q == 19}
	})
	r := mustBuild(t, h, records, Options{})
	right := 0
	for q := 5; q < 20; q++ {
		if q < 14 || records[q].Gold == "A" {
			right++
		}
	}
	near(t, "accuracy", r.Accuracy, float64(right)/18)
	near(t, "score", r.Score, float64(right)/18)
	near(t, "accuracy_answered", r.AccuracyAnswered, float64(right)/15)
	if r.FailureCounts["ADAPTER_ERROR"] != 2 || r.FailureCounts["NO_ANSWER"] != 3 || r.FailureCounts["WRONG_ANSWER"] != 15-right {
		t.Errorf("failure counts %v", r.FailureCounts)
	}
	assert.Check(t, r.CapHits == 1 && r.Causes["CONNECTION"] == 2, "cap hits %d, causes %v", r.CapHits, r.Causes)
}

func TestGuessingIsToldFromKnowing(t *testing.T) {
	// Questions with 3, 4 and 7 options, all right.
	h, records := journaltest.MCQ(3, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	r := mustBuild(t, h, records, Options{})
	chance := (1.0/3 + 1.0/4 + 1.0/7) / 3
	near(t, "p", r.Baseline.PValue, 2*chance*chance*chance/1.4)
	assert.Check(t, r.Baseline.Better != nil && *r.Baseline.Better, "three of three, p = 0.02, is not called better than guessing")
	if strict := mustBuild(t, h, records, Options{Confidence: 0.999}); *strict.Baseline.Better {
		t.Error("p = 0.02 is called better than guessing at 99.9 %")
	}
}

func TestAnotherRuleSetTakesTheHeadline(t *testing.T) {
	h, records := journaltest.MCQ(12, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	for i := range records {
		records[i].Text = "Answer: " + records[i].Gold // tiger reads this, tiger-strict doesn't
	}
	own := mustBuild(t, h, records, Options{})
	strict := mustBuild(t, h, records, Options{RuleSet: "tiger-strict"})
	near(t, "tiger", own.Accuracy, 1)
	near(t, "tiger-strict", strict.Accuracy, 0)
	near(t, "tiger beside tiger-strict", strict.Rules["tiger"].Accuracy, 1)
	assert.Check(t, own.RuleOrder[0] == "tiger" && strict.RuleOrder[0] == "tiger-strict" && len(own.RuleOrder) == len(strict.RuleOrder),
		"orders %v and %v", own.RuleOrder, strict.RuleOrder)
}

func TestOptionsThatDoNotGoWithTheRunAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		task    string
		options Options
		want    string
	}{
		"an unknown rule set":               {"mmlu_pro", Options{RuleSet: "guess"}, `no rule set "guess"`},
		"a rule set of another task":        {"mmlu_pro", Options{RuleSet: "binary"}, "not for task mmlu_pro; tiger-strict"},
		"a confidence above 1":              {"mmlu_pro", Options{Confidence: 95}, "not between 0 and 1"},
		"a confidence that is not a number": {"mmlu_pro", Options{Confidence: math.NaN()}, "not between 0 and 1"},
		"an unknown task":                   {"mmlu_redux", Options{}, `"mmlu_redux" is not known`},
	} {
		_, err := Open(journaltest.Keep(t, t.TempDir(), journaltest.Header(test.task), nil), test.options)
		errortest.For(t, name, err, test.want)
	}
}

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
	assert.Check(t, len(whole.About(AboutDirect)) == 0 && len(part.About(AboutDirect)) == 1,
		"warnings %q and %q", whole.About(AboutDirect), part.About(AboutDirect))
	for name, figures := range map[string][2]float64{
		"log p(gold)": {a.GoldLogprob.Or(0), b.GoldLogprob.Or(9)}, "Brier": {a.Brier.Or(0), b.Brier.Or(9)},
		"vocabulary": {a.GoldVocabulary.Or(0) - 3, b.GoldVocabulary.Or(9)},
		"mass":       {a.LetterMass.Or(0) * math.Exp(-3), b.LetterMass.Or(9)},
	} {
		assert.Check(t, math.Abs(figures[0]-figures[1]) <= 1e-9, "%s: %g and %g", name, figures[0], figures[1])
	}
	assert.Check(t, whole.Accuracy.Or(0) == 1 && a.Items == 40 && a.Overconfidence.Or(9) < 0,
		"accuracy %g of %d, overconfidence %g", whole.Accuracy.Or(0), a.Items, a.Overconfidence.Or(9))
}
