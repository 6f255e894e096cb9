package pooled

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/mark/stats"
	_ "proctor/scripts/tests/settingtest"
)

// A change says of each question what A and B make of it: 0 both right, −1 only A, 1 only B.
type change func(q int) int

func (c change) a(q int) bool { return c(q) <= 0 }
func (c change) b(q int) bool { return c(q) >= 0 }

// compared is the comparison of two runs of a task on a set.
func compared(t *testing.T, o pairs.Options, runs ...pairstest.Run) *pairs.Comparison {
	t.Helper()
	var paths []string
	for i, r := range runs {
		paths = append(paths, r.Write(t, string(rune('a'+i))))
	}
	c, err := pairs.Of(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mcq(t *testing.T, set string, n int, c change) *pairs.Comparison {
	a, b := pairstest.MCQ("Q8_0", n, c.a), pairstest.MCQ("Q4_K_M", n, c.b)
	a.Header.Dataset.SHA256, b.Header.Dataset.SHA256 = set, set
	return compared(t, pairs.Options{}, a, b)
}

func circular(t *testing.T, set string, n int, c change) *pairs.Comparison {
	known := func(right func(int) bool) func(q, rotation int) bool {
		return func(q, rotation int) bool { return right(q) || rotation > 0 }
	}
	a, b := pairstest.Circular("Q8_0", n, known(c.a)), pairstest.Circular("Q4_K_M", n, known(c.b))
	a.Header.Dataset.SHA256, b.Header.Dataset.SHA256 = set, set
	return compared(t, pairs.Options{}, a, b)
}

func lost(upTo int) change {
	return func(q int) int { return -map[bool]int{true: 1}[q < upTo] }
}

func pool(t *testing.T, tasks ...*pairs.Comparison) *Pooled {
	t.Helper()
	p, err := Of(tasks)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func near(t *testing.T, what string, got stats.Number, want float64) {
	t.Helper()
	if x := got.Or(math.NaN()); !(math.Abs(x-want) < 1e-9) {
		t.Errorf("%s: %.12g, want %.12g", what, x, want)
	}
}

// TestTasksOfOneSetByHand has 20 questions in two tasks. The first changes by −1 on four; the second by −1 on two of these and by 1 on
// another: (d₁ + d₂)/2 is −1 twice, −1/2 twice, 1/2 once, with the mean −2.5/20 and squares of 2.75 together.
func TestTasksOfOneSetByHand(t *testing.T) {
	p := pool(t, mcq(t, "set", 20, lost(4)), circular(t, "set", 20, func(q int) int {
		return map[int]int{0: -1, 1: -1, 10: 1}[q]
	}))
	pair := p.Pairs[0]
	if p.Sets != 1 || p.Combined || pair.Questions != 20 || pair.Shared != 20 || pair.ValueA.Defined() {
		t.Errorf("%+v", p)
	}
	variance := (2.75 - 20*0.125*0.125) / 19 / 20
	near(t, "difference", pair.Difference, -0.125)
	near(t, "error", pair.SE, math.Sqrt(variance))
	near(t, "error of independent tasks", pair.Apart, math.Sqrt((0.2-0.04)/20+(0.15-0.0025)/20)/2)
	z := (0.125 - 0.2/20) / math.Sqrt(variance+0.125*(0.125+0.5)/20)
	near(t, "p", pair.PValue, math.Erfc(z/math.Sqrt2))
	one, other := 20/(0.2-0.04), 20/(0.15-0.0025)
	for i, want := range []struct{ difference, signal, information float64 }{
		{-0.2, 0.2 * math.Sqrt(one), one / (one + other)},
		{-0.05, 0.05 * math.Sqrt(other), other / (one + other)},
	} {
		part := pair.Tasks[i]
		near(t, "a task's difference", part.Difference, want.difference)
		near(t, "a task's signal", part.Signal, want.signal)
		near(t, "a task's information", part.Information, want.information)
		if part.Weight != 0.5 {
			t.Errorf("weight %g", part.Weight)
		}
	}
	if pair.Clearest != pair.Tasks[0].Name || pair.Decision != pairs.Undecided || !strings.Contains(pair.Verdict, "in the mean of 2 tasks") {
		t.Errorf("%+v", pair)
	}
}

// TestSetsByHand has 20 questions of one set, of which 4 change by −1, and 10 of another, of which 1 does. A question of the second counts
// twice as much, so 20 of those make up the whole.
func TestSetsByHand(t *testing.T) {
	p := pool(t, mcq(t, "one", 20, lost(4)), mcq(t, "other", 10, lost(1)))
	pair := p.Pairs[0]
	if p.Sets != 2 || !p.Combined || pair.Questions != 30 || pair.Shared != 0 {
		t.Errorf("%+v", p)
	}
	variance := ((4-20*0.04)/19/20 + (1-10*0.01)/9/10) / 4
	near(t, "A", pair.ValueA, 1)
	near(t, "B", pair.ValueB, 0.85)
	near(t, "difference", pair.Difference, -0.15)
	near(t, "error", pair.SE, math.Sqrt(variance))
	z := (0.15 - 0.2/20) / math.Sqrt(variance+0.15*(0.15+0.5)/20)
	near(t, "p", pair.PValue, math.Erfc(z/math.Sqrt2))
	if pair.Tasks[0].Name == pair.Tasks[1].Name {
		t.Errorf("both are called %s", pair.Tasks[0].Name)
	}
}

// TestATaskTwiceIsNoMoreThanOnce: what two tasks have in common does not count twice.
func TestATaskTwiceIsNoMoreThanOnce(t *testing.T) {
	twice := pool(t, circular(t, "set", 60, lost(9)), circular(t, "set", 60, lost(9))).Pairs[0]
	apart := pool(t, circular(t, "set", 60, lost(9)), circular(t, "other", 60, lost(9))).Pairs[0]
	own := twice.Tasks[0].SE.Or(0) * math.Sqrt(60.0/59)
	near(t, "error of a task twice", twice.SE, own)
	near(t, "error of two sets", apart.SE, own/math.Sqrt2)
}

func TestDecisionsOfAllTasks(t *testing.T) {
	for _, c := range []struct {
		name     string
		one, two change
		want     pairs.Decision
	}{
		{"both lose", lost(60), lost(60), pairs.Worse},
		{"one loses", lost(60), lost(0), pairs.Worse},
		{"both win", func(q int) int { return -lost(60)(q) }, func(q int) int { return -lost(60)(q) }, pairs.Better},
		{"nothing changes", lost(0), lost(0), pairs.Identical},
		{"one flip each way", lost(1), func(q int) int { return -lost(1)(q) }, pairs.NotWorse},
	} {
		if pair := pool(t, mcq(t, "set", 1000, c.one), mcq(t, "other", 1000, c.two)).Pairs[0]; pair.Decision != c.want {
			t.Errorf("%s: %s: %s", c.name, pair.Decision, pair.Verdict)
		}
	}
}

func TestWhatIsNotPooled(t *testing.T) {
	one := mcq(t, "set", 20, lost(4))
	if _, err := Of([]*pairs.Comparison{one}); err == nil {
		t.Error("one task is pooled")
	}
	a, b := pairstest.MCQ("Q8_0", 20, lost(0).a), pairstest.MCQ("Q6_K", 20, lost(4).b)
	if _, err := Of([]*pairs.Comparison{one, compared(t, pairs.Options{}, a, b)}); err == nil || !strings.Contains(err.Error(), "two models") {
		t.Errorf("tasks of several models: %v", err)
	}
	three := compared(t, pairs.Options{}, a, b, pairstest.MCQ("Q4_K_M", 20, lost(4).b))
	if _, err := Of([]*pairs.Comparison{one, three}); err == nil {
		t.Error("two runs and three are pooled")
	}
}

// TestNoDecisionWhereATaskHasNone: a score that is not valid, and a run that ended by looking, whose interval does not hold.
func TestNoDecisionWhereATaskHasNone(t *testing.T) {
	refused := func(c *pairs.Comparison, why string) {
		t.Helper()
		pair := pool(t, mcq(t, "other", 20, lost(4)), c).Pairs[0]
		if pair.Decision != "" || pair.NonInferior != nil || !strings.Contains(pair.Verdict, why) {
			t.Errorf("%q: %s", pair.Decision, pair.Verdict)
		}
	}
	invalid := mcq(t, "set", 20, lost(4))
	invalid.Pairs[0].Decision = ""
	refused(invalid, "has no valid score")

	a, b := pairstest.MCQ("Q8_0", 20, lost(4).a), pairstest.MCQ("Q4_K_M", 20, lost(4).b)
	fingerprint := compared(t, pairs.Options{}, a, b).Runs[0].Marked.Header.Fingerprint
	b.Header.Selection.UntilDecided = &journal.UntilDecided{Run: "Q8_0", Fingerprint: fingerprint, Margin: 0.01, Alpha: 0.05}
	path := b.Write(t, "b")
	line, err := json.Marshal(journal.Interim{Kind: journal.KindInterim, Number: 1, Questions: 20, Items: 20, RuleSet: "tiger",
		Headline: "accuracy", Confidence: 0.95, Decision: "worse", After: 20})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(append(line, '\n')); err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	stopped, err := pairs.Of([]string{a.Write(t, "a"), path}, pairs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refused(stopped, "stopped once it was decided")
}

// TestSeveralRunsHoldTogether: intervals are wider and p larger by the number of pairs.
func TestSeveralRunsHoldTogether(t *testing.T) {
	runs := func(set string) *pairs.Comparison {
		var all []pairstest.Run
		for i, quantization := range []string{"Q8_0", "Q6_K", "Q4_K_M"} {
			r := pairstest.MCQ(quantization, 100, lost(10*i).b)
			r.Header.Dataset.SHA256 = set
			all = append(all, r)
		}
		return compared(t, pairs.Options{}, all...)
	}
	p := pool(t, runs("one"), runs("other"))
	if len(p.Pairs) != 2 || p.Pairs[1].CI.Confidence != 0.975 {
		t.Fatalf("%+v", p.Pairs)
	}
	near(t, "p", p.Pairs[1].PAdjusted, 2*p.Pairs[1].PValue.Or(0))
}

// TestALossOfTheMarginIsSeldomRuledOut draws two tasks of the same questions and a third of another set, whose mean loses exactly the
// margin.
func TestALossOfTheMarginIsSeldomRuledOut(t *testing.T) {
	random := rand.New(rand.NewPCG(26, 43))
	const draws, margin = 2000, 0.05
	ruled, outside := 0, 0
	for range draws {
		sides := []side{{set: "one"}, {set: "one"}, {set: "other"}}
		for i := range sides {
			sides[i].Gap = func(x []float64) (float64, []float64) {
				return x[1]/x[2] - x[0]/x[2], []float64{-1 / x[2], 1 / x[2], (x[0] - x[1]) / x[2] / x[2]}
			}
		}
		ask := func(i, q int, wins, losses float64, u float64) {
			x := []float64{1, 1, 1}
			if u < losses {
				x[1] = 0
			} else if u > 1-wins {
				x[0] = 0
			}
			sides[i].Questions = append(sides[i].Questions, pairs.Total{ID: q, X: x})
		}
		for q := range 250 {
			u := random.Float64()
			ask(0, q, 0.03, 0.03+margin, u)
			if random.IntN(4) == 0 { // three in four questions do in one task as in the other
				u = random.Float64()
			}
			ask(1, q, 0.02, 0.02+margin, u)
		}
		for q := range 150 {
			ask(2, q, 0.05, 0.05+margin, random.Float64())
		}
		joined := clustersOf(sides, []float64{1.0 / 3, 1.0 / 3, 1.0 / 3})
		e := joined.difference(0.95)
		if e.Interval.Low > -margin {
			ruled++
		}
		if !e.Interval.Contains(-margin) {
			outside++
		}
	}
	if wrong := float64(ruled) / draws; wrong > 0.034 { // 2.5 % and 2.5 standard errors
		t.Errorf("a loss of the margin is ruled out in %.4f", wrong)
	}
	if missed := float64(outside) / draws; missed < 0.015 || missed > 0.062 {
		t.Errorf("intervals miss in %.4f", missed)
	}
	t.Logf("ruled out %d, outside %d of %d", ruled, outside, draws)
}
