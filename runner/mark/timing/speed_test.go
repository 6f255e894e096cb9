package timing

import (
	"math"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

func TestARateNeedsTimeAndSomethingDone(t *testing.T) {
	near(t, "three in two seconds", rate(3, 2*time.Second), 1.5)
	near(t, "one in the shortest time", rate(1, time.Nanosecond).Times(1e-9), 1)
	for _, none := range []struct {
		n    int
		took time.Duration
	}{{0, time.Second}, {-1, time.Second}, {1, 0}, {1, -time.Second}, {0, 0}} {
		r := rate(none.n, none.took)
		assert.Check(t, !r.Defined(), "%d in %v: %v", none.n, none.took, r)
	}
}

func TestTimesHaveTheirMiddleAndEnd(t *testing.T) {
	h, records := journaltest.MCQ(4, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	for i, took := range []time.Duration{6 * time.Second, 12 * time.Second, 12 * time.Second, time.Nanosecond} {
		records[i].Timing = backends.Timing{Total: took, FirstToken: took / 2}
	}
	run, err := results.Open(journaltest.Keep(t, t.TempDir(), h, records), "")
	assert.NilError(t, err)
	s := Of(run)
	assert.Check(t, s.Latency.Most == stats.Of(12) && s.FirstToken.Most == stats.Of(6) &&
		s.Latency.P50 == stats.Of(9), "%+v", s.Latency)
	for i := range records {
		records[i].Timing = backends.Timing{}
	}
	run, err = results.Open(journaltest.Keep(t, t.TempDir(), h, records), "")
	assert.NilError(t, err)
	assert.Check(t, Of(run).Latency == Distribution{}, "a journal without times has %+v", Of(run).Latency)
}

func TestTheLoadOfOthersIsWeightedByTime(t *testing.T) {
	o := othersOf([]journal.Others{{Share: 0.02, Over: 3 * time.Second, Threads: 2}, {Share: 0.5, Over: time.Second, Threads: 1},
		{Over: time.Nanosecond}}, 2)
	near(t, "share", stats.Of(o.Share), 0.14)
	near(t, "least", o.Least, 0)
	near(t, "most", o.Most, 0.5)
	near(t, "seconds", o.Seconds, 4.000000001)
	want := "other programs took 0.3 of 2 cores (0.0 to 1.0); computed on 1 to 2 threads"
	assert.Check(t, o.String() == want, "%q, want %q", o, want)
	even := othersOf([]journal.Others{{Share: 0.3, Over: 1}}, 1).String()
	assert.Check(t, even == "other programs took 0.3 of 1 core", "%v", even)
	quiet := othersOf([]journal.Others{{Share: 0.05, Over: 1}}, 2)
	assert.Check(t, othersOf(nil, 2) == nil && !othersOf(nil, 2).Busy() && !quiet.Busy() && o.Busy(), "5 %% is in nobody's way, 14 %% are")
}

// answers are a run of count questions of two items; cost gives an item's seconds, tokens and whether it is right.
func answers(count int, cost func() (seconds float64, tokens int, right bool)) results.View {
	var v results.View
	for q := range count {
		for range 2 {
			seconds, tokens, right := cost()
			v.Items = append(v.Items, &results.Item{
				Record: journal.Record{QuestionID: q, Subject: "law", Usage: backends.Usage{OutputTokens: tokens}},
				Marks:  []grade.Mark{{Letter: "A", Correct: right}}, Wall: time.Duration(seconds * float64(time.Second)),
			})
		}
	}
	return v
}

func wall(it *results.Item) (float64, bool) { return it.Wall.Seconds(), it.Wall > 0 }

func near(t *testing.T, what string, got interface{ Or(float64) float64 }, want float64) {
	t.Helper()
	x := got.Or(math.NaN())
	assert.Check(t, math.Abs(x-want) < 1e-9, "%s: %g, want %g", what, x, want)
}

func TestCostsByHand(t *testing.T) {
	n := 0
	// 3 s and 7 s, 30 and 70 tokens, one right each
	a := answers(2, func() (float64, int, bool) { n++; return float64(n), 10 * n, n%2 == 0 })
	c := CostOf(a, wall)
	near(t, "seconds a question", c.Seconds, 5)
	near(t, "tokens a question", c.Output, 50)
	near(t, "seconds a right answer", c.Right, 5)
	wrong := CostOf(answers(2, func() (float64, int, bool) { return 1, 10, false }), wall)
	assert.Check(t, wrong.Seconds.Defined() && !wrong.Right.Defined(), "nothing right: %+v", wrong)
	never := func(*results.Item) (float64, bool) { return 0, false }
	untimed := CostOf(a, never)
	assert.Check(t, !untimed.Seconds.Defined() && untimed.Output.Defined(), "a run that tells no times: %+v", untimed)
}

func TestARightAnswerIsOneOfTheFirstRuleSet(t *testing.T) {
	v := answers(10, func() (float64, int, bool) { return 1, 10, true })
	for i, it := range v.Items {
		it.Marks = append(it.Marks, grade.Mark{Letter: "A", Correct: i%4 == 0})
		it.Timing.Decode = it.Wall
	}
	run := &results.Run{RuleSets: make([]grade.RuleSet, 2), Items: v.Items}
	near(t, "seconds a right answer", Of(run).Right, 1)
	v.Items[3].Timing.Decode = 0
	s := Of(run)
	assert.Check(t, !s.Seconds.Defined() && !s.Right.Defined() && s.Output.Defined(), "an item without a time: %+v", s.Cost)
}

// The time of an answer whose tokens nobody counted is in no rate, as that of a loop which Ollama gave up on.
func TestAnswersThatNobodyCountedAreInNoRate(t *testing.T) {
	h, records := journaltest.MCQ(4, func(_, _ int,
		gold string) journaltest.Answer {
		return journaltest.Answer{Letter: gold}
	})
	h.Backend.Slots = 1
	for i := range records {
		records[i].Usage.OutputTokens, records[i].Timing.Decode = 20, 2*time.Second
	}
	records[1].Usage.OutputTokens, records[1].Timing.Decode = 0, time.Minute
	run, err := results.Open(journaltest.Keep(t, t.TempDir(), h, records), "")
	assert.NilError(t, err)
	s := Of(run)
	near(t, "decode", s.Decode, 10)
	assert.Equal(t, s.Uncounted, 1)
}
