package timing

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
)

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
	if x := got.Or(math.NaN()); !(math.Abs(x-want) < 1e-9) {
		t.Errorf("%s: %g, want %g", what, x, want)
	}
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
		if want := 9 * math.Exp(sign*3.18244630528*math.Sqrt(80.0/3/4)/9); math.Abs(bound-want) > 1e-6*want {
			t.Errorf("seconds a question: %g, want %g", bound, want)
		}
	}
	never := func(*results.Item) (float64, bool) { return 0, false }
	if untimed := CostOf(a, never, 0.95); untimed.Seconds.Defined() || !untimed.Output.Defined() {
		t.Errorf("a run that tells no times: %+v", untimed)
	}
	m := 0
	b := answers(2, func() (float64, int, bool) { m++; return float64(m) / 2, 20 * m, true })
	near(t, "twice the tokens", ChangeOf(a, b, 0.95).Change, 1)
	silent := answers(2, func() (float64, int, bool) { return 1, 0, true })
	if one, other := ChangeOf(silent, b, 0.95), ChangeOf(b, silent, 0.95); one != nil || other != nil {
		t.Errorf("where one counts no tokens: %+v, %+v", one, other)
	}
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
		a, b := run(), run()
		c := CostOf(a, wall, 0.95)
		for name, holds := range map[string]bool{
			"seconds": c.SecondsCI.Contains(seconds), "tokens": c.OutputCI.Contains(10 * seconds),
			"right": c.RightCI.Contains(seconds / right),
		} {
			if holds {
				covered[name]++
			}
		}
		if ChangeOf(a, b, 0.95).CI.Contains(0) {
			covered["change"]++
		}
	}
	for name, n := range covered {
		if share := n / float64(tries); share < 0.93 || share > 0.97 {
			t.Errorf("%s: the interval covers %.3f", name, share)
		}
	}
	if len(covered) != 4 {
		t.Errorf("intervals %v", covered)
	}
}
