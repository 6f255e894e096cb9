package combine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
)

// part is a report of n questions of one subject, of which right are right and guessing gets a share.
func part(task, subject string, n, right int, guessing float64) *metrics.Summary {
	value, ci := stats.Ratio(right, n), stats.Proportion(right, n, 0.95).Interval
	r := &metrics.Summary{
		Task: task, Accuracy: value, CI: ci,
		Headline: metrics.Headline{Name: "accuracy", Value: value, CI: ci, Baseline: stats.Of(guessing), Covers: metrics.Asked},
		Baseline: metrics.Baseline{Expected: stats.Of(guessing)},
		Subjects: []metrics.Subject{{Subject: subject}},
	}
	r.Items, r.Questions, r.Answered, r.Correct = n, n, n, right
	return r
}

func near(t *testing.T, what string, got interface{ Or(float64) float64 }, want float64) {
	t.Helper()
	x := got.Or(math.NaN())
	assert.Check(t, math.Abs(x-want) < 1e-12, "%s: %.15g, want %.15g", what, x, want)
}

func TestTwoTasksByHand(t *testing.T) {
	a, b := part("mmlu_pro", "law", 40, 20, 0.1), part("mmlu_pro", "math", 160, 40, 0.2)
	a.Items, a.Errors = 42, 2 // failed items are in no share
	c := Of([]*metrics.Summary{a, b})
	near(t, "macro", c.Macro.Value, (0.5+0.25)/2)
	near(t, "score", c.Score, (0.5+0.25)/2)
	near(t, "macro guessing", c.Macro.Baseline, (0.1+0.2)/2)
	near(t, "pooled", c.Pooled.Value, 60.0/200)
	near(t, "pooled guessing", c.Pooled.Baseline, (40*0.1+160*0.2)/200)
	assert.Check(t, c.Pooled.Items == 200 && !c.Shared && len(c.Tasks) == 2 && c.Tasks[1].Headline.Value == b.Headline.Value, "%+v", c)
	for _, f := range []struct {
		name         string
		figure       Total
		shareA, mean float64
	}{{"macro", *c.Macro, 0.5, 0.375}, {"pooled", *c.Pooled, 0.2, 0.3}} {
		down := math.Hypot(f.shareA*(0.5-a.CI.Low), (1-f.shareA)*(0.25-b.CI.Low))
		up := math.Hypot(f.shareA*(a.CI.High-0.5), (1-f.shareA)*(b.CI.High-0.25))
		near(t, f.name+", low", stats.Of(f.figure.CI.Low), f.mean-down)
		near(t, f.name+", high", stats.Of(f.figure.CI.High), f.mean+up)
		near(t, f.name+", confidence", stats.Of(f.figure.CI.Confidence), 0.95)
	}
}

func TestTasksThatMayShareQuestionsAddTheirDistancesUp(t *testing.T) {
	a, b := part("mmlu_pro", "law", 40, 20, 0.1), part("mmlu_pro", "law", 160, 40, 0.5)
	c := Of([]*metrics.Summary{a, b})
	assert.Check(t, c.Shared && c.Pooled == nil, "%+v", c)
	near(t, "low", stats.Of(c.Macro.CI.Low), (a.CI.Low+b.CI.Low)/2)
	near(t, "high", stats.Of(c.Macro.CI.High), (a.CI.High+b.CI.High)/2)
}

func TestWhatIsNotPooled(t *testing.T) {
	law, math := part("mmlu_pro", "law", 40, 20, 0.1), part("mmlu_pro", "math", 40, 20, 0.1)
	circular, permuted := part("mmlu_pro_circular", "law", 40, 20, 0.1), part("mmlu_pro_circular", "math", 40, 20, 0.1)
	circular.Pattern, permuted.Pattern = "circular", "all_possible"
	for name, reports := range map[string][]*metrics.Summary{
		"two tasks":                   {law, part("mmlu_pro_binary", "math", 40, 20, 0.5)},
		"a third task":                {law, math, part("mmlu_pro_binary", "history", 40, 20, 0.5)},
		"two patterns":                {circular, permuted},
		"one subject twice":           {law, part("mmlu_pro", "law", 40, 20, 0.1)},
		"nothing scored in either":    {part("mmlu_pro", "law", 0, 0, 0.1), part("mmlu_pro", "math", 0, 0, 0.1)},
		"one subject in first, third": {law, math, part("mmlu_pro", "law", 40, 20, 0.1)},
	} {
		if c := Of(reports); c == nil || c.Pooled != nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := Of([]*metrics.Summary{law, math}); c.Pooled == nil {
		t.Errorf("two subjects of one task are not pooled: %+v", c)
	}
}

func TestWhatIsNotCombined(t *testing.T) {
	law, math := part("mmlu_pro", "law", 40, 20, 0.1), part("mmlu_pro", "math", 40, 20, 0.1)
	math.Model.Name = "another"
	for name, reports := range map[string][]*metrics.Summary{"nothing": nil, "one": {law}, "two models": {law, math}} {
		c := Of(reports)
		assert.Check(t, c == nil, "%s: %+v", name, c)
	}
}

func TestMeasuresThatDifferHaveNoMean(t *testing.T) {
	law, binary := part("mmlu_pro", "law", 40, 20, 0.1), part("mmlu_pro_binary", "math", 160, 40, 0.5)
	binary.Headline.Name = "balanced_accuracy"
	c := Of([]*metrics.Summary{law, binary})
	assert.Check(t, c.Macro == nil && !c.Score.Defined() && len(c.Tasks) == 2, "%+v", c)
}

func TestATaskWithoutAScoreLeavesTheMeanUndefined(t *testing.T) {
	law, none := part("mmlu_pro", "law", 40, 20, 0.1), part("mmlu_pro", "math", 0, 0, 0.1)
	c := Of([]*metrics.Summary{none, law})
	assert.Check(t, !c.Macro.Value.Defined() && c.Macro.CI.IsZero() && !c.Score.Defined(), "%+v", c.Macro)
	bare := part("mmlu_pro", "math", 40, 20, 0.1)
	bare.Headline.CI = stats.Interval{}
	for _, reports := range [][]*metrics.Summary{{bare, law}, {law, bare}} {
		if c := Of(reports); !c.Macro.CI.IsZero() || c.Macro.Value.Or(0) != 0.5 {
			t.Errorf("of an interval and none: %+v", c.Macro)
		}
	}
}

func TestBoundsAreShares(t *testing.T) {
	for _, right := range []int{0, 9} {
		c := Of([]*metrics.Summary{part("mmlu_pro", "law", 9, right, 0.1), part("mmlu_pro_binary", "law", 9, right, 0.5)})
		assert.Check(t, c.Macro.CI.Low >= 0 && c.Macro.CI.High <= 1 && c.Macro.CI.Contains(float64(right)/9),
			"%d of 9: %+v", right, c.Macro.CI)
	}
}

func TestCombinedIntervalsCover(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 14))
	for _, parts := range [][]struct {
		n int
		p float64
	}{{{40, 0.3}, {160, 0.7}}, {{30, 0.1}, {30, 0.5}, {300, 0.8}}} {
		macro, pooled, items := 0.0, 0.0, 0
		for _, p := range parts {
			macro, pooled, items = macro+p.p/float64(len(parts)), pooled+p.p*float64(p.n), items+p.n
		}
		held, tries := [2]float64{}, 4000
		for range tries {
			var reports []*metrics.Summary
			for i, p := range parts {
				right := 0
				for range p.n {
					if random.Float64() < p.p {
						right++
					}
				}
				reports = append(reports, part("mmlu_pro", fmt.Sprint(i), p.n, right, 0.1))
			}
			c := Of(reports)
			for i, holds := range []bool{c.Macro.CI.Contains(macro), c.Pooled.CI.Contains(pooled / float64(items))} {
				if holds {
					held[i] += 1 / float64(tries)
				}
			}
		}
		for i, share := range held {
			assert.Check(t, share >= 0.93 && share <= 0.97, "%v, %s: covers %.4f", parts, []string{"macro", "pooled"}[i], share)
		}
	}
}
