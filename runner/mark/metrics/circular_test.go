package metrics

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// near fails the test unless the metric is defined and as wanted.
func near(t *testing.T, what string, got interface{ Get() (float64, bool) }, want float64) {
	t.Helper()
	x, defined := got.Get()
	if !defined {
		t.Errorf("%s: undefined, want %.9g", what, want)
		return
	}
	assert.Check(t, math.Abs(x-want) <= 1e-9, "%s: %.12g, want %.12g", what, x, want)
}

// circularAnswers is a circular run in which question q gets right exactly the variants that right lists; the others
// are answered with the letter after the gold one.
func circularAnswers(
	pattern string, golds []int, patterns func(q int) []string, right map[int][]string,
) (journal.Header, []journal.Record) {
	h := journaltest.Header("mmlu_pro_circular")
	h.Pattern = pattern
	return journaltest.Circular(h, golds, patterns, func(q int, variant, gold string) journaltest.Answer {
		for _, known := range right[q] {
			if known == variant || known == "all" {
				return journaltest.Answer{Letter: gold}
			}
		}
		return journaltest.Answer{Letter: journaltest.Letter((int(gold[0]-'A') + 1) % len(variant))}
	})
}

func TestCircularMetricsAreOpenCompasss(t *testing.T) {
	four := func(int) []string { return journaltest.Rotations(4) }
	h, records := circularAnswers("circular", []int{0, 1, 2, 3}, four, map[int][]string{
		0: {"all"}, 1: {"ABCD", "BCDA", "CDAB"}, 2: {"DABC"},
	})
	c := mustBuild(t, h, records, Options{}).Circular
	for name, want := range map[string]float64{
		"acc_origin": 2.0 / 4, "acc_circular": 8.0 / 16, "perf_circular": 1.0 / 4,
		"more_1_circular": 3.0 / 4, "more_2_circular": 2.0 / 4, "more_3_circular": 2.0 / 4,
	} {
		near(t, name, c.Metric(name).Value, want)
	}
	assert.Check(t, !c.Metric("more_4_circular").Value.Defined() && !c.Metric("acc_all_possible").Value.Defined(),
		"metrics that OpenCompass does not have: more_4 is perf, and nothing was permuted")
	near(t, "mean over questions", c.QuestionMean, (1+0.75+0.25+0)/4)
	near(t, "acc_origin − perf_circular", c.Metric(OriginMinusPerf).Value, 0.25)
	near(t, "majority vote", c.Metric(MajorityVote).Value, 2.0/4) // question 1's wrong answer is one, question 2's are three
}

func TestAFailedVariantLeavesItsQuestionOutOfFiguresOfWholeQuestions(t *testing.T) {
	h, records := circularAnswers("circular", []int{0, 1}, func(int) []string { return journaltest.Rotations(4) },
		map[int][]string{0: {"all"}, 1: {"all"}})
	records[5].Finish, records[5].Cause = backends.FinishError, backends.CauseTimeout
	r := mustBuild(t, h, records, Options{})
	near(t, "acc_circular", r.Circular.Metric("acc_circular").Value, 1)
	if got := r.Circular.Metric("perf_circular").Over; got != 1 || r.Circular.QuestionsComplete != 1 {
		t.Errorf("perf is over %d questions, complete %d; want 1", got, r.Circular.QuestionsComplete)
	}
	assert.Check(t, len(r.About(AboutCircular)) != 0, "nothing warns of the question left out")
}

func TestConsistencyIsAboutContentNotLetters(t *testing.T) {
	four := func(int) []string { return journaltest.Rotations(4) }
	always := func(choose func(variant, gold string) string) *Circular {
		h, records := journaltest.Circular(journaltest.Header("mmlu_pro_circular"), []int{0, 2}, four,
			func(_ int, variant, gold string) journaltest.Answer {
				return journaltest.Answer{Letter: choose(variant, gold)}
			})
		return mustBuild(t, h, records, Options{}).Circular
	}
	letterA := always(func(string, string) string { return "A" })
	near(t, "always A is never consistent", letterA.Metric(Consistency).Value, 0)
	near(t, "always A, majority", letterA.Metric(MajorityVote).Value, 0)     // a tie of four is no win
	second := always(func(variant, _ string) string { return variant[1:2] }) // where original option B now stands
	near(t, "always the same wrong content is consistent", second.Metric(Consistency).Value, 1)
	near(t, "and never right", second.Metric("acc_circular").Value, 0)
}

func TestAlwaysTheSameLetterIsNoBetterThanGuessing(t *testing.T) {
	h, records := journaltest.Circular(journaltest.Header("mmlu_pro_circular"), make([]int, 40),
		func(q int) []string { return journaltest.Rotations(3 + q%8) },
		func(int, string, string) journaltest.Answer { return journaltest.Answer{Letter: "B"} })
	r := mustBuild(t, h, records, Options{})
	assert.Check(t, r.Baseline.Better != nil && !*r.Baseline.Better, "baseline %+v", r.Baseline)
	near(t, "chance-corrected", r.ChanceCorrected, 0)
	near(t, "p", r.Baseline.PValue, 1)
	assert.Check(t, r.Baseline.Needed <= 0, "%d questions show that it is more", r.Baseline.Needed)
}
