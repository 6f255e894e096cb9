package timing

import (
	"math"
	"math/rand/v2"
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

func TestACourseCountsSlotsAtWorkAndTimes(t *testing.T) {
	h, records := journaltest.MCQ(4, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	// Two items beside each other for 6 s, one of them for 6 s more; an hour later one more for 12 s, and one of no time.
	for i, span := range []struct{ from, took time.Duration }{{0, 6 * time.Second}, {0, 12 * time.Second}, {time.Hour, 12 * time.Second},
		{time.Hour, time.Nanosecond}} {
		records[i].Began, records[i].Timing = began.Add(span.from), backends.Timing{Total: span.took, FirstToken: span.took / 2}
	}
	run, err := results.Read(&h, journaltest.Stream(records), "")
	assert.NilError(t, err)
	active, c := ActiveOf(run), Of(run, 0.95)
	end := active[len(active)-1].To
	assert.Assert(t, len(active) == activeParts && math.Abs(end-24) <= 0.01,
		"%d parts to %g s, want 24 s: the hour without work is left out", len(active), end)
	for _, row := range []struct{ at, slots float64 }{{1, 2}, {5.5, 2}, {6.5, 1}, {11.5, 1}, {13, 1}, {23.5, 1}} {
		got := active[int(row.at/24*activeParts)].Slots
		assert.Check(t, math.Abs(got-row.slots) <= 0.01, "%g slots at work after %g s, want %g", got, row.at, row.slots)
	}
	total := 0
	for _, bin := range c.Latency.Bins {
		total += bin.Count
	}
	if d := c.Latency; total != 4 || d.Items != 4 || d.Most != stats.Of(12) || c.FirstToken.Most != stats.Of(6) || d.Bins[0].Count != 1 {
		t.Errorf("the latencies are %+v", c.Latency)
	}
	for i := range records {
		records[i].Began, records[i].Timing = time.Time{}, backends.Timing{}
	}
	if run, err = results.Read(&h, journaltest.Stream(records), ""); err != nil {
		t.Fatal(err)
	}
	if none := Of(run, 0.95); ActiveOf(run) != nil || none.Latency.Bins != nil || none.FirstToken.Bins != nil {
		t.Errorf("a journal without times has the distributions %+v", none)
	}
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
	c := CostOf(a, wall, 0.95)
	near(t, "seconds a question", c.Seconds, 5)
	near(t, "tokens a question", c.Output, 50)
	near(t, "seconds a right answer", c.Right, 5)
	if !c.SecondsCI.IsZero() || !c.RightCI.IsZero() { // t's reach from 0.03 to 806 s
		t.Errorf("two questions have an interval: %+v", c)
	}
	n = 100
	if c := CostOf(answers(3, func() (float64, int, bool) { n++; return float64(n), n, true }), wall, 0.95); !c.SecondsCI.IsZero() {
		t.Errorf("three questions have an interval: %+v", c)
	}
	n = 0
	c = CostOf(answers(4, func() (float64, int, bool) { n++; return float64(n), 10 * n, n%2 == 0 }), wall, 0.95)
	for bound, sign := range map[float64]float64{c.SecondsCI.Low: -1, c.SecondsCI.High: 1} { // s² = 80/3, n = 4, t with three of freedom
		want := 9 * math.Exp(sign*3.18244630528*math.Sqrt(80.0/3/4)/9)
		assert.Check(t, math.Abs(bound-want) <= 1e-6*want, "seconds a question: %g, want %g", bound, want)
	}
	never := func(*results.Item) (float64, bool) { return 0, false }
	untimed := CostOf(a, never, 0.95)
	assert.Check(t, !untimed.Seconds.Defined() && untimed.Output.Defined(), "a run that tells no times: %+v", untimed)
}

func TestCostIntervalsCover(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 14))
	// A long text takes long, and is right less often: an item has 20 or 100 tokens, at 0.1 s a token.
	run := func() results.View {
		return answers(80, func() (float64, int, bool) {
			if random.IntN(4) == 0 {
				return 10, 100, random.Float64() < 0.3
			}
			return 2, 20, random.Float64() < 0.8
		})
	}
	const seconds, right = 2 * (0.25*10 + 0.75*2), 2 * (0.25*0.3 + 0.75*0.8)
	covered, tries := map[string]float64{}, 1200
	for range tries {
		c := CostOf(run(), wall, 0.95)
		for name, holds := range map[string]bool{
			"seconds": c.SecondsCI.Contains(seconds), "tokens": c.OutputCI.Contains(10 * seconds),
			"right": c.RightCI.Contains(seconds / right),
		} {
			if holds {
				covered[name]++
			}
		}
	}
	for name, n := range covered {
		share := n / float64(tries)
		assert.Check(t, share >= 0.93 && share <= 0.97, "%s: the interval covers %.3f", name, share)
	}
	assert.Check(t, len(covered) == 3, "intervals %v", covered)
}

func TestARightAnswerIsOneOfTheFirstRuleSet(t *testing.T) {
	v := answers(10, func() (float64, int, bool) { return 1, 10, true })
	for i, it := range v.Items {
		it.Marks = append(it.Marks, grade.Mark{Letter: "A", Correct: i%4 == 0})
		it.Timing.Decode = it.Wall
	}
	run := &results.Run{RuleSets: make([]grade.RuleSet, 2), Items: v.Items}
	near(t, "seconds a right answer", Of(run, 0.95).Right, 1)
	v.Items[3].Timing.Decode = 0
	s := Of(run, 0.95)
	assert.Check(t, !s.Seconds.Defined() && !s.Right.Defined() && s.Output.Defined(), "an item without a time: %+v", s.Cost)
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
			assert.Assert(t, c.RightCI.High <= 100*c.RightCI.Low, "%+v: an interval says nothing: %+v", run, c.RightCI)
			n++
			assert.Assert(t, c.RightCI.Low > 0 && c.SecondsCI.Low > 0, "%+v: an interval of seconds reaches %+v", run, c)
			if c.RightCI.Contains(math.Exp(0.18) / run.chance) {
				covered++
			}
		}
		if share := covered / float64(tries); share < 0.93 || share > 0.98 { // a handful of right answers has few values
			t.Errorf("%+v: covers %.3f", run, share)
		}
	}
}
