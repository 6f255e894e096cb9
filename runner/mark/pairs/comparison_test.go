package pairs

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/mark/stats"
)

func TestAPairByHand(t *testing.T) {
	a, b := pairstest.Two()
	b.Records[350].Text = "I can't say" // wrong before, no answer now: a changed answer, no flip
	p := compared(t, Options{}, a, b).Pairs[0]
	assert.Check(t, p.Table == (stats.Pairs{Both: 288, OnlyA: 12, OnlyB: 5, Neither: 95}) && p.RightToWrong == 12 && p.WrongToRight == 5,
		"table %+v, right to wrong %d, wrong to right %d", p.Table, p.RightToWrong, p.WrongToRight)
	pairstest.Near(t, "difference", p.Difference, -7.0/400)
	pairstest.Near(t, "flips", p.Flips, 17.0/400)
	pairstest.Near(t, "answers changed", p.AnswerChanged, 18.0/400)
	pairstest.Near(t, "p", p.PValue, math.Erfc(6.8/math.Sqrt(2*17)))              // (|c − b| − 1/5)/√(b + c)
	pairstest.Near(t, "McNemar", p.PMcNemar, 2*(1+17+136+680+2380+6188)/131072.0) // C(17,0) … C(17,5) over 2¹⁷
	assert.Check(t, p.NonInferior != nil && !*p.NonInferior,
		"not worse by more than 1 pp is taken as shown with 400 questions and 1.75 pp lost")
	pairstest.Near(t, "size", p.Size, 60.0/107-1)
	z := 1.959963984540054 + 0.8416212335729143
	pairstest.Near(t, "smallest detectable", p.SmallestDetectable, z*math.Sqrt(17)/400)
	want := z * z * (17.0 / 400) / 1e-4
	assert.Check(t, float64(p.ToDecide) >= want && float64(p.ToDecide) <= want+100, "%d questions decide, want %.0f", p.ToDecide, want)
}

func TestTheChangeOfASizeNeedsBoth(t *testing.T) {
	for _, unknown := range [][2]int64{{0, 60}, {107, 0}, {0, 0}} {
		a, b := pairstest.Two()
		a.Header.Model.SizeBytes, b.Header.Model.SizeBytes = unknown[0], unknown[1]
		p := compared(t, Options{}, a, b).Pairs[0]
		assert.Check(t, !p.Size.Defined(), "sizes %v: change %v", unknown, p.Size)
	}
	a, b := pairstest.Two()
	a.Header.Model.SizeBytes, b.Header.Model.SizeBytes = 1, 1
	pairstest.Near(t, "the smallest sizes", compared(t, Options{}, a, b).Pairs[0].Size, 0)
}

func TestItemsThatFailedAreLeftOutAndCounted(t *testing.T) {
	a, b := pairstest.Two()
	for _, r := range []*journal.Record{&a.Records[0], &b.Records[0], &b.Records[399]} {
		r.Finish, r.Cause, r.Error, r.Text = backends.FinishError, backends.CauseTimeout, "too slow", ""
	}
	p := compared(t, Options{}, a, b).Pairs[0]
	assert.Check(t, p.Items == 398 && p.LeftOut == 2 && p.Table == (stats.Pairs{Both: 288, OnlyA: 11, OnlyB: 5, Neither: 94}),
		"%d items, %d left out, table %+v", p.Items, p.LeftOut, p.Table)
	got := strings.Join(p.Warnings, "\n")
	assert.Check(t, strings.Contains(got, "2 items failed in one of the runs or both, left out"), "warnings %q", got)
}

func TestCircularIsComparedByWholeQuestions(t *testing.T) {
	a := pairstest.Circular("Q8_0", 120, func(q, _ int) bool { return q < 80 })
	b := pairstest.Circular("Q4_K_M", 120, func(q, rotation int) bool { return q < 80 && (q >= 8 || rotation > 0) || q == 100 })
	p := compared(t, Options{}, a, b).Pairs[0]
	assert.Check(t, p.Measure == "perf_circular" && p.Table == (stats.Pairs{Both: 72, OnlyA: 8, OnlyB: 1, Neither: 39}),
		"%s, table %+v", p.Measure, p.Table)
	pairstest.Near(t, "difference", p.Difference, -7.0/120)
	pairstest.Near(t, "p", p.PValue, math.Erfc(6.8/math.Sqrt(2*9)))
	pairstest.Near(t, "flips, of items", p.Flips, (8+4)/480.0)
	want := p.Table.Score().Difference(0.95).Interval
	assert.Check(t, p.CI == want, "interval %+v, want %+v", p.CI, want)
}

func TestSeveralRunsHaveATiedSet(t *testing.T) {
	a, b := pairstest.Two()
	best := pairstest.MCQ("F16", 400, func(q int) bool { return q < 310 })
	c := compared(t, Options{}, a, b, best)
	if c.Best != "F16" || !slices.Equal(c.Tied, []string{"F16"}) { // 10 lost and none won
		t.Errorf("best %s, tied %v", c.Best, c.Tied)
	}
	pairstest.Near(t, "p of the second pair", c.Pairs[1].PValue, math.Erfc(9.8/math.Sqrt(2*10)))
	pairstest.Near(t, "adjusted", c.Pairs[1].PAdjusted, 2*math.Erfc(9.8/math.Sqrt(2*10)))
	similar := pairstest.MCQ("F16", 400, func(q int) bool { return q >= 3 && q < 305 })
	if c := compared(t, Options{}, a, b, similar); !slices.Contains(c.Tied, "Q8_0") || !slices.Contains(c.Tied, "F16") {
		t.Errorf("five won and three lost: tied %v", c.Tied)
	}
}

func TestRunsAreNamedByTheirDifferences(t *testing.T) {
	for name, test := range map[string]struct {
		models [][2]string // name, quantisation
		want   []string
	}{
		"quantisations of one model": {[][2]string{{"m", "Q8_0"}, {"m", "Q4_0"}}, []string{"Q8_0", "Q4_0"}},
		"models":                     {[][2]string{{"m", "Q8_0"}, {"n", "Q8_0"}}, []string{"m Q8_0", "n Q8_0"}},
		"models without a type":      {[][2]string{{"m", ""}, {"n", ""}}, []string{"m", "n"}},
		"both":                       {[][2]string{{"m", "Q8_0"}, {"n", "Q8_0"}, {"m", "Q4_0"}}, []string{"m Q8_0", "n Q8_0", "m Q4_0"}},
		"nothing but paths":          {[][2]string{{"m", "Q8_0"}, {"m", "Q8_0"}}, []string{"run 0", "run 1"}},
		"models without a name":      {[][2]string{{"", ""}, {"", ""}}, []string{"run 0", "run 1"}},
	} {
		var runs []Run
		for i, m := range test.models {
			runs = append(runs, Run{Path: "run " + string(rune('0'+i)), Model: backends.ModelInfo{Name: m[0], Quantization: m[1]}})
		}
		NameApart(runs)
		for i, run := range runs {
			assert.Check(t, run.Name == test.want[i], "%s: run %d is called %q, want %q", name, i, run.Name, test.want[i])
		}
	}
	a, _ := pairstest.Two()
	path := a.Write(t, "a")
	c, err := Of([]string{path, path}, Options{})
	assert.Check(t, err == nil && c.Runs[0].Name != c.Runs[1].Name, "one run twice: %v", err)
}

func TestAMarginThatIsJustReached(t *testing.T) {
	detectable := stats.Detectable(0.01, 0.95, stats.DefaultPower)
	ci := stats.Interval{Low: -detectable.Or(0), High: 0.1, Confidence: 0.95, Method: "made up"}
	p := Pair{Questions: 100, Outcome: Outcome{SE: stats.Of(0.01), CI: ci}, RightToWrong: 1}
	o := Options{Confidence: 0.95, Margin: detectable.Or(0)}
	p.judge(o)
	assert.Check(t, !*p.NonInferior && p.Decision == Undecided, "an interval that holds the margin rules it out")
	needed, _ := p.needed(o)
	assert.Check(t, needed == p.Questions, "%d questions find a difference that %d would find", needed, p.Questions)
}

// compared sets runs against each other.
func compared(t testing.TB, o Options, runs ...pairstest.Run) *Comparison {
	t.Helper()
	var paths []string
	for i, run := range runs {
		paths = append(paths, run.Write(t, journaltest.Letter(i)))
	}
	c, err := Of(paths, o)
	assert.NilError(t, err)
	return c
}
