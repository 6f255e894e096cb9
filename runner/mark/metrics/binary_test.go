package metrics

import (
	"fmt"
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

func TestAlwaysFalseOnTheFullSetScoresHighRawAndHalfBalanced(t *testing.T) {
	// As many questions and items as MMLU-Pro's test set: 12,032 and 113,992, one option right in each question.
	h := journaltest.Header("mmlu_pro_binary")
	var records []journal.Record
	for q := range 12_032 {
		options := 9
		if q < 113_992-9*12_032 {
			options = 10
		}
		for option := range options {
			gold := map[bool]string{true: "A", false: "B"}[option == q%options]
			r := journaltest.Record(&h, q, fmt.Sprintf("subject %d", q%14), journaltest.Letter(option), 2, gold,
				journaltest.Answer{Letter: "B"})
			r.OptionsOriginal = options
			records = append(records, r)
		}
	}
	r := mustBuild(t, h, records, Options{})
	assert.Assert(t, r.Items == 113_992 && r.Questions == 12_032, "%d items of %d questions", r.Items, r.Questions)
	x := r.Accuracy.Or(0)
	assert.Check(t, math.Abs(x-0.894448733) <= 1e-9, "raw accuracy %.9f, want the share of False, 0.894448733", x)
	near(t, "which is the majority baseline", r.Binary.Majority, r.Accuracy.Or(0))
	near(t, "balanced accuracy", r.Binary.BalancedAccuracy, 0.5)
	near(t, "p", r.Baseline.PValue, 1)
	near(t, "none called true", r.Binary.NoTrue, 1)
	near(t, "called true", r.Binary.PredictedTrue, 0)
	near(t, "whole questions", r.Binary.Exact, 0)
	assert.Check(t, r.Baseline.Better != nil && !*r.Baseline.Better && r.Headline.Name == "balanced_accuracy",
		"baseline %+v, headline %+v", r.Baseline, r.Headline)
	assert.Check(t, !r.Binary.MCC.Defined(), "MCC of a constant answer is undefined")
}

func TestBinaryQuestionsThatAreNotWholeAreNotJudged(t *testing.T) {
	h, records := journaltest.Binary(3, func(q, option, gold int) journaltest.Answer {
		if q == 1 && option == 2 {
			return journaltest.Answer{Failed: backends.CauseTimeout}
		}
		return journaltest.Answer{Letter: map[bool]string{true: "A", false: "B"}[option == gold]}
	})
	r := mustBuild(t, h, records[:len(records)-1], Options{}) // the last question lacks an option
	assert.Check(t, r.Binary.QuestionsComplete == 1, "%d questions are whole, want 1", r.Binary.QuestionsComplete)
	near(t, "whole questions", r.Binary.Exact, 1)
	assert.Check(t, r.Completeness.Missing == 1 && r.Completeness.Errors == 1 && !r.Completeness.Complete,
		"completeness %+v", r.Completeness)
}
