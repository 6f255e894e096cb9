package timing

import (
	"math"
	"math/rand/v2"
	"testing"

	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
)

func TestARightAnswerIsOneOfTheFirstRuleSet(t *testing.T) {
	v := answers(10, func() (float64, int, bool) { return 1, 10, true })
	for i, it := range v.Items {
		it.Marks = append(it.Marks, grade.Mark{Letter: "A", Correct: i%4 == 0})
		it.Timing.Decode = it.Wall
	}
	run := &results.Run{RuleSets: make([]grade.RuleSet, 2), Items: v.Items}
	near(t, "seconds a right answer", Of(run, 0.95).Right, 1)
	v.Items[3].Timing.Decode = 0
	if s := Of(run, 0.95); s.Seconds.Defined() || s.Right.Defined() || !s.Output.Defined() {
		t.Errorf("an item without a time: %+v", s.Cost)
	}
}

func TestTheTimeOfARightAnswerCoversWithFewOfThem(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 14))
	for _, run := range []struct {
		questions int
		chance    float64
	}{{6, 0.15}, {12, 0.05}, {12, 0.3}, {60, 0.05}, {60, 0.35}} { // of an item; a question has two
		covered, tries := 0.0, 2000
		for n := 0; n < tries; {
			c := CostOf(answers(run.questions, func() (float64, int, bool) {
				return math.Exp(0.6 * random.NormFloat64()), 10, random.Float64() < run.chance
			}), wall, 0.95)
			if c.RightCI.IsZero() {
				continue // no right answer, or too few
			}
			if c.RightCI.High > 100*c.RightCI.Low {
				t.Fatalf("%+v: an interval says nothing: %+v", run, c.RightCI)
			}
			n++
			if c.RightCI.Low <= 0 || c.SecondsCI.Low <= 0 {
				t.Fatalf("%+v: an interval of seconds reaches %+v", run, c)
			}
			if c.RightCI.Contains(math.Exp(0.18) / run.chance) {
				covered++
			}
		}
		if share := covered / float64(tries); share < 0.93 || share > 0.98 { // a handful of right answers has few values
			t.Errorf("%+v: covers %.3f", run, share)
		}
	}
}
