package compare

import (
	"bytes"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/stats"
)

func near(t *testing.T, what string, got stats.Number, want float64) {
	t.Helper()
	if x, defined := got.Get(); !defined || math.Abs(x-want) > 1e-9 {
		t.Errorf("%s: got %v (defined %v), want %.12g", what, x, defined, want)
	}
}

// two are runs of 400 questions: A knows 300; B loses 12 of them and wins 5.
func two() (testRun, testRun) {
	return mcqRun("Q8_0", 400, func(q int) bool { return q < 300 }),
		mcqRun("Q4_K_M", 400, func(q int) bool { return q >= 12 && q < 305 })
}

func TestGoldenComparisons(t *testing.T) {
	a, b := two()
	third := mcqRun("F16", 400, func(q int) bool { return q < 310 })
	many := mcqRun("Q4_K_M", 3000, func(q int) bool { return q%3 > 0 && q != 100 })
	for name, c := range map[string]*Comparison{
		"two":    compared(t, Options{Rules: true}, a, b),
		"direct": compared(t, Options{}, directRun(a, 2, 1), directRun(b, 1.9, 1)),
		"three":  compared(t, Options{}, a, b, third),
		"enough": compared(t, Options{}, mcqRun("Q8_0", 3000, func(q int) bool { return q%3 > 0 }), many),
		"binary": compared(t, Options{}, binaryRun("Q8_0", 60, func(q, option int) bool { return option == q%4 || q%7 == 0 }),
			binaryRun("Q4_K_M", 60, func(q, option int) bool { return option == q%4 && q%5 > 0 })),
		"circular": compared(t, Options{}, circularRun("Q8_0", 60, func(q, _ int) bool { return q%3 > 0 }),
			circularRun("Q4_K_M", 60, func(q, rotation int) bool { return q%3 > 0 && (q < 40 || rotation != 2) })),
	} {
		for _, format := range figures {
			var out bytes.Buffer
			if err := format.Write(&out, c); err != nil {
				t.Fatal(err)
			}
			golden.Assert(t, out.String(), name+format.Ext)
		}
	}
}

func TestAPairByHand(t *testing.T) {
	a, b := two()
	b.records[350].Text = "I can't say" // wrong before, no answer now: a changed answer, no flip
	p := compared(t, Options{}, a, b).Pairs[0]
	if p.Table != (stats.Pairs{Both: 288, OnlyA: 12, OnlyB: 5, Neither: 95}) || p.RightToWrong != 12 || p.WrongToRight != 5 {
		t.Errorf("table %+v, right to wrong %d, wrong to right %d", p.Table, p.RightToWrong, p.WrongToRight)
	}
	near(t, "difference", p.Difference, -7.0/400)
	near(t, "flips", p.Flips, 17.0/400)
	near(t, "answers changed", p.AnswerChanged, 18.0/400)
	near(t, "p", p.PValue, math.Erfc(6.8/math.Sqrt(2*17)))          // (|c − b| − 1/5)/√(b + c)
	near(t, "mid-p", p.PMid, (2*(1+17+136+680+2380)+6188)/131072.0) // C(17,0) … C(17,5) over 2¹⁷
	if p.NonInferior == nil || *p.NonInferior {
		t.Error("not worse by more than 1 pp is taken as shown with 400 questions and 1.75 pp lost")
	}
	near(t, "size", p.Size, 60.0/107-1)
	z := 1.959963984540054 + 0.8416212335729143
	near(t, "smallest detectable", p.SmallestDetectable, z*math.Sqrt(17)/400)
	if want := int(math.Ceil(z*z*(17.0/400)/1e-4)) - 400; p.MoreQuestions != want {
		t.Errorf("%d more questions, want %d", p.MoreQuestions, want)
	}
}

func TestTheChangeOfASizeNeedsBoth(t *testing.T) {
	for _, unknown := range [][2]int64{{0, 60}, {107, 0}, {0, 0}} {
		a, b := two()
		a.header.Model.SizeBytes, b.header.Model.SizeBytes = unknown[0], unknown[1]
		if p := compared(t, Options{}, a, b).Pairs[0]; p.Size.Defined() {
			t.Errorf("sizes %v: change %v", unknown, p.Size)
		}
	}
	a, b := two()
	a.header.Model.SizeBytes, b.header.Model.SizeBytes = 1, 1
	near(t, "the smallest sizes", compared(t, Options{}, a, b).Pairs[0].Size, 0)
}

func TestItemsThatFailedAreLeftOutAndCounted(t *testing.T) {
	a, b := two()
	for _, r := range []*journal.Record{&a.records[0], &b.records[0], &b.records[399]} {
		r.Finish, r.Cause, r.Error, r.Text = backends.FinishError, backends.CauseTimeout, "too slow", ""
	}
	p := compared(t, Options{}, a, b).Pairs[0]
	if p.Items != 398 || p.LeftOut != 2 || p.Table != (stats.Pairs{Both: 288, OnlyA: 11, OnlyB: 5, Neither: 94}) {
		t.Errorf("%d items, %d left out, table %+v", p.Items, p.LeftOut, p.Table)
	}
	if got := strings.Join(p.Warnings, "\n"); !strings.Contains(got, "2 items failed in one of the runs or both, left out") {
		t.Errorf("warnings %q", got)
	}
}

func TestBinaryIsComparedByBalancedAccuracyOverQuestions(t *testing.T) {
	knows := func(q, option int) bool { return option == q%4 }
	a := binaryRun("Q8_0", 300, func(q, option int) bool { return knows(q, option) != (q%10 == 0 && option == 1) })
	b := binaryRun("Q4_K_M", 300, func(q, option int) bool {
		return knows(q,
			option) && q%4 != 3
	}) // misses a quarter of the gold options
	p := compared(t, Options{}, a, b).Pairs[0]
	// A is wrong on option 1 of every tenth question: gold where q%4 = 1, which no tenth q is.
	near(t, "A", p.ValueA, (1+(900.0-30)/900)/2)
	near(t, "B", p.ValueB, (0.75+1)/2)
	near(t, "difference", p.Difference, 0.875-(1+870.0/900)/2)
	// The error is that of the questions' influences on the two differences.
	squares := 0.0
	for q := range 300 {
		tp, tn := 0.25, -1.0/30 // less the mean, which is −0.25 and +1/30
		if q%4 == 3 {
			tp = -0.75
		}
		if q%10 == 0 {
			tn += 1.0 / 3
		}
		squares += (tp + tn) * (tp + tn) / 4
	}
	near(t, "standard error", p.SE, math.Sqrt(squares/300/299))
	if p.Test != "score of totals" || p.PValue.Or(1) > 0.001 {
		t.Errorf("p %v by %s", p.PValue, p.Test)
	}
	// A is all right but for 30 questions, B but for 75 others.
	if p.Table != (stats.Pairs{Both: 195, OnlyA: 75, OnlyB: 30}) {
		t.Errorf("table %+v", p.Table)
	}
}

func TestCircularIsComparedByWholeQuestions(t *testing.T) {
	a := circularRun("Q8_0", 120, func(q, _ int) bool { return q < 80 })
	b := circularRun("Q4_K_M", 120, func(q, rotation int) bool { return q < 80 && (q >= 8 || rotation > 0) || q == 100 })
	p := compared(t, Options{}, a, b).Pairs[0]
	if p.Measure != "perf_circular" || p.Table != (stats.Pairs{Both: 72, OnlyA: 8, OnlyB: 1, Neither: 39}) {
		t.Errorf("%s, table %+v", p.Measure, p.Table)
	}
	near(t, "difference", p.Difference, -7.0/120)
	near(t, "p", p.PValue, math.Erfc(6.8/math.Sqrt(2*9)))
	near(t, "flips, of items", p.Flips, (8+4)/480.0)
	if want := p.Table.Score().Difference(0.95).Interval; p.CI != want {
		t.Errorf("interval %+v, want %+v", p.CI, want)
	}
}

func TestRunsThatAgreeInEverythingAreNotCalledEqualOnLittle(t *testing.T) {
	for name, runs := range map[string][2]testRun{
		"mcq": {mcqRun("Q8_0", 12, func(q int) bool { return q%2 == 0 }), mcqRun("Q4_K_M", 12, func(q int) bool { return q%2 == 0 })},
		"binary": {binaryRun("Q8_0", 12, func(q, option int) bool { return option == 0 }),
			binaryRun("Q4_K_M", 12, func(q, option int) bool { return option == 0 })},
		"circular": {circularRun("Q8_0", 12, func(q, _ int) bool { return q < 6 }),
			circularRun("Q4_K_M", 12, func(q, _ int) bool { return q < 6 })},
	} {
		p := compared(t, Options{}, runs[0], runs[1]).Pairs[0]
		near(t, name+": p", p.PValue, 1)
		if p.NonInferior == nil || *p.NonInferior || !strings.Contains(p.Verdict, "too few to rule out a loss of 1.0 pp") {
			t.Errorf("%s: twelve questions show %q", name, p.Verdict)
		}
	}
}

func TestSeveralRunsHaveATiedSet(t *testing.T) {
	a, b := two()
	best := mcqRun("F16", 400, func(q int) bool { return q < 310 })
	c := compared(t, Options{}, a, b, best)
	if c.Best != "F16" || !slices.Equal(c.Tied, []string{"F16"}) { // 10 lost and none won
		t.Errorf("best %s, tied %v", c.Best, c.Tied)
	}
	near(t, "p of the second pair", c.Pairs[1].PValue, math.Erfc(9.8/math.Sqrt(2*10)))
	near(t, "adjusted", c.Pairs[1].PAdjusted, 2*math.Erfc(9.8/math.Sqrt(2*10)))
	close := mcqRun("F16", 400, func(q int) bool { return q >= 3 && q < 305 })
	if c := compared(t, Options{}, a, b, close); !slices.Contains(c.Tied, "Q8_0") || !slices.Contains(c.Tied, "F16") {
		t.Errorf("five won and three lost: tied %v", c.Tied)
	}
}

func TestRunsAreNamedByWhatTellsThemApart(t *testing.T) {
	for name, test := range map[string]struct {
		models [][2]string // name, quantisation
		want   []string
	}{
		"quantisations of one model": {[][2]string{{"m", "Q8_0"}, {"m", "Q4_0"}}, []string{"Q8_0", "Q4_0"}},
		"models":                     {[][2]string{{"m", "Q8_0"}, {"n", "Q8_0"}}, []string{"m", "n"}},
		"both":                       {[][2]string{{"m", "Q8_0"}, {"n", "Q8_0"}, {"m", "Q4_0"}}, []string{"m Q8_0", "n Q8_0", "m Q4_0"}},
		"nothing but paths":          {[][2]string{{"m", "Q8_0"}, {"m", "Q8_0"}}, []string{"run 0", "run 1"}},
		"models without a name":      {[][2]string{{"", ""}, {"", ""}}, []string{"run 0", "run 1"}},
	} {
		var runs []Run
		for i, m := range test.models {
			runs = append(runs, Run{Path: "run " + string(rune('0'+i)), Model: backends.ModelInfo{Name: m[0], Quantization: m[1]}})
		}
		rename(runs)
		for i, run := range runs {
			if run.Name != test.want[i] {
				t.Errorf("%s: run %d is called %q, want %q", name, i, run.Name, test.want[i])
			}
		}
	}
	a, _ := two()
	path := a.write(t, "a")
	c, err := Of([]string{path, path}, Options{})
	if err != nil || c.Runs[0].Name == c.Runs[1].Name {
		t.Errorf("one run twice: %v", err)
	}
}

func TestShufflingJournalsChangesNoByte(t *testing.T) {
	a, b := binaryRun("Q8_0", 40, func(q, option int) bool { return option == q%4 || q%7 == 0 }),
		binaryRun("Q4_K_M", 40, func(q, option int) bool { return option == q%3 })
	var straight, mixed bytes.Buffer
	if err := Formats[2].Write(&straight, compared(t, Options{}, a, b)); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, records := range [][]journal.Record{a.records, b.records} {
		random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	}
	if err := Formats[2].Write(&mixed, compared(t, Options{}, a, b)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(straight.Bytes(), mixed.Bytes()) {
		t.Error("the comparison depends on the order of the lines")
	}
}

func TestNoComparisonHoldsWhatJSONCannotSay(t *testing.T) {
	unwritable := regexp.MustCompile(`NaN|[+-]?\bInf\b|(^|[^0-9A-Za-z])-0(\.0*)?([^0-9.]|$)`)
	always := func(answer bool) func(int) bool { return func(int) bool { return answer } }
	for name, runs := range map[string][2]testRun{
		"one question": {mcqRun("Q8_0", 1, always(true)), mcqRun("Q4_K_M", 1, always(false))},
		"all right":    {mcqRun("Q8_0", 9, always(true)), mcqRun("Q4_K_M", 9, always(true))},
		"all wrong":    {mcqRun("Q8_0", 9, always(false)), mcqRun("Q4_K_M", 9, always(false))},
		"one binary question": {binaryRun("Q8_0", 1, func(int, int) bool { return true }),
			binaryRun("Q4_K_M", 1, func(int, int) bool { return false })},
		"binary, always True": {binaryRun("Q8_0", 5, func(int, int) bool { return true }),
			binaryRun("Q4_K_M", 5, func(int, int) bool { return false })},
		"one circular": {circularRun("Q8_0", 1, func(int, int) bool { return true }),
			circularRun("Q4_K_M", 1, func(int, int) bool { return false })},
		"circular, all right": {circularRun("Q8_0", 5, func(int, int) bool { return true }),
			circularRun("Q4_K_M", 5, func(int, int) bool { return true })},
		"models without sizes": {mcqRun("", 5, always(true)), mcqRun("", 5, func(q int) bool { return q > 0 })},
	} {
		c := compared(t, Options{Rules: true}, runs[0], runs[1], runs[1])
		for _, format := range figures {
			var out bytes.Buffer
			if err := format.Write(&out, c); err != nil {
				t.Fatalf("%s as %s: %v", name, format.Name, err)
			}
			if at := unwritable.FindIndex(out.Bytes()); at != nil {
				t.Errorf("%s as %s: …%s…", name, format.Name, out.Bytes()[max(0, at[0]-60):min(out.Len(), at[1]+20)])
			}
		}
	}
}

func TestAMarginThatIsJustReached(t *testing.T) {
	detectable := stats.Detectable(0.01, 0.95, stats.DefaultPower)
	ci := stats.Interval{Low: -detectable.Or(0), High: 0.1, Confidence: 0.95, Method: "made up"}
	p := Pair{Questions: 100, Outcome: Outcome{SE: stats.Of(0.01), CI: ci}, RightToWrong: 1}
	o := Options{Confidence: 0.95, Margin: detectable.Or(0)}
	run := mcqRun("Q8_0", 1, func(int) bool { return true })
	p.judge(compared(t, o, run, run).shared(), o)
	if *p.NonInferior || p.Decision != Undecided {
		t.Error("an interval that holds the margin rules it out")
	}
	if _, ifs := p.needed(o); ifs != "enough if the difference stays the same" {
		t.Errorf("more questions to find a difference that these would find: %s", ifs)
	}
}
