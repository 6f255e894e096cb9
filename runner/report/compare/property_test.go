package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/report/page"
)

// A crafted subject has so many questions in the set, and marks of what was asked: of every question, who of the runs is right,
// and who is when it is asked again, where it is.
type crafted struct {
	size         int
	right, again [][]bool // by question and run
}

// craft makes runs of subjects' marks, in memory; with weights the header knows the set.
func craft(t *testing.T, runs int, set []crafted, weighted bool) []Run {
	t.Helper()
	var all []Run
	for r := range runs {
		h := journaltest.Header("mmlu_pro")
		h.Model.Name, h.Model.Quantization, h.Model.SizeBytes = "tiny", fmt.Sprint("run ", r), int64(1000-r)
		h.Selection.Population = map[string]int{}
		run := &results.Run{Header: h, RuleSets: []grade.RuleSet{mustRules(t)}}
		id := 0
		for s, subject := range set {
			name := fmt.Sprintf("subject %02d", s)
			if weighted {
				run.Header.Selection.Population[name] = subject.size
			}
			for q, right := range subject.right {
				times := [][]bool{right}
				if subject.again != nil {
					times, run.Header.Repeats = append(times, subject.again[q]), 2
				}
				for i, right := range times {
					letter := map[bool]string{true: "A", false: "B"}[right[r]]
					record := journaltest.Record(&h, id, name, "", 10, "A", journaltest.Answer{Letter: letter})
					record.ID, record.Repeat = journal.RepeatID(record.ID, i+1), i+1
					run.Items = append(run.Items, &results.Item{Record: record, Marks: []grade.Mark{{Letter: letter, Correct: right[r]}}})
				}
				id++
			}
		}
		m, err := metrics.Of(run, metrics.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Run{Path: fmt.Sprint(r), Model: h.Model, RuleSet: m.RuleSet, Items: m.Items, Headline: m.Headline,
			Answered: m.Answered, Speed: m.Speed, results: run})
	}
	return all
}

func mustRules(t *testing.T) grade.RuleSet {
	t.Helper()
	set, err := grade.Lookup("tiger")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// consistent fails where what a comparison says contradicts itself or the runs' headlines.
func consistent(t *testing.T, what string, c *Comparison) {
	t.Helper()
	alpha := (1 - c.Confidence) / float64(len(c.Pairs))
	for i := range c.Pairs {
		p := &c.Pairs[i]
		a, b := c.Runs[0].Headline, c.Runs[i+1].Headline
		if p.Covers != a.Covers || math.Abs(b.Value.Or(9)-a.Value.Or(9)-p.Difference.Or(8)) > 1e-9 {
			t.Errorf("%s: difference %v of %s, headlines %v and %v of %s", what, p.Difference, p.Covers, a.Value, b.Value, a.Covers)
		}
		q := p.PValue.Or(9)
		apart := p.CI.Low > 0 || p.CI.High < 0
		if math.Abs(q-alpha) > 1e-9 && apart != (q < alpha) || !p.CI.IsZero() && math.Abs(p.CI.Confidence-(1-alpha)) > 1e-12 {
			t.Errorf("%s: p %g at %g, interval %+v", what, q, alpha, p.CI)
		}
		if len(c.Pairs) > 1 && math.Abs(q-alpha) > 1e-9 && (p.PAdjusted.Or(9) < 1-c.Confidence) != apart {
			t.Errorf("%s: adjusted p %v, interval %+v", what, p.PAdjusted, p.CI)
		}
		if p.Sample == nil && p.Test == scoreTest && p.Table.McNemar().Or(1) < alpha && !apart {
			t.Errorf("%s: exact p %v, interval %+v", what, p.Table.McNemar(), p.CI)
		}
		if p.ShownNotWorse() != (!p.CI.IsZero() && p.CI.Low > -c.Margin) || p.ShownWorse() != (p.Decision == Worse) ||
			p.ShownWorse() && p.ShownNotWorse() {
			t.Errorf("%s: %s, not worse %v, interval %+v", what, p.Decision, p.ShownNotWorse(), p.CI)
		}
		says := map[Decision]bool{
			Better: p.CI.Low > 0, NotWorse: p.CI.Low > -c.Margin && p.CI.Low <= 0, Worse: p.CI.High < 0 && p.CI.Low <= -c.Margin,
			Undecided: p.CI.IsZero() || p.CI.High >= 0 && p.CI.Low <= -c.Margin,
			Identical: p.Table.Discordant() == 0 && p.Difference.Or(9) == 0,
		}
		if !says[p.Decision] {
			t.Errorf("%s: %s by %+v", what, p.Decision, p.CI)
		}
		if strings.Contains(p.Verdict, " is better than ") && !(p.Difference.Or(0) > 0) ||
			strings.Contains(p.Verdict, " is worse than ") && !(p.Difference.Or(0) < 0) {
			t.Errorf("%s: %s, of a difference of %v", what, p.Verdict, p.Difference)
		}
		if p.Advice != nil && (p.Decision == Better || p.Decision == Worse || p.Decision == NotWorse) {
			t.Errorf("%s: %s, and more questions to decide it", what, p.Decision)
		}
	}
	if r := c.Recommendation; r != nil {
		want := "" // the smallest, which is the last, of those that are not worse
		for i := range c.Pairs {
			if p := &c.Pairs[i]; p.ShownNotWorse() && !p.ShownWorse() && c.Runs[0].beatsGuessing() {
				want = p.B
			}
		}
		if r.Run != want {
			t.Errorf("%s: %q recommended, not %q", what, r.Run, want)
		}
	}
	if len(c.Runs) > 2 {
		tied(t, what, c)
	}
}

// tied fails where a run is left out of the set of the best that does not score less, or that its pair has otherwise.
func tied(t *testing.T, what string, c *Comparison) {
	t.Helper()
	best := slices.IndexFunc(c.Runs, func(r Run) bool { return r.Name == c.Best })
	for i, run := range c.Runs {
		within := slices.Contains(c.Tied, run.Name)
		if !within && !(run.Headline.Value.Or(9) < c.Runs[best].Headline.Value.Or(0)) {
			t.Errorf("%s: %s scores %v and is called less than %v", what, run.Name, run.Headline.Value, c.Runs[best].Headline.Value)
		}
		if best == 0 && i > 0 && within == (c.Pairs[i-1].CI.High < 0) ||
			best > 0 && i == 0 && within == (c.Pairs[best-1].Decision == Better) {
			t.Errorf("%s: tied %v, pairs %s, %s", what, c.Tied, c.Pairs[0].Decision, c.Pairs[1].Decision)
		}
	}
}

// marks are questions of which so many are right in A alone, in B alone, and in both.
func marks(onlyA, onlyB, both, neither int) [][]bool {
	var all [][]bool
	for i, n := range []int{onlyA, onlyB, both, neither} {
		for range n {
			all = append(all, []bool{i == 0 || i == 2, i == 1 || i == 2})
		}
	}
	return all
}

// TestNoComparisonContradictsItself is of all tables of up to 12 questions.
func TestNoComparisonContradictsItself(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for onlyA := 0; onlyA <= n; onlyA++ {
			for onlyB := 0; onlyA+onlyB <= n; onlyB++ {
				set := []crafted{{size: 100, right: marks(onlyA, onlyB, n-onlyA-onlyB, 0)}, {size: 900, right: marks(onlyB, onlyA, 0, 3)}}
				for _, weighted := range []bool{false, true} {
					runs := craft(t, 2, set[:map[bool]int{false: 1, true: 2}[weighted]], weighted)
					c, err := comparison(runs, Options{Recommend: true, Confidence: 0.95, Margin: 0.01})
					if err != nil {
						t.Fatal(err)
					}
					consistent(t, fmt.Sprintf("%d of %d in A alone, %d in B, weighted %v", onlyA, n, onlyB, weighted), c)
				}
			}
		}
	}
}

// TestNoRandomComparisonContradictsItself is of up to 12,000 questions, 1 to 14 subjects and two or three runs, a quarter of them
// asked twice.
func TestNoRandomComparisonContradictsItself(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 3))
	for i := range 60 {
		set, count := make([]crafted, 1+random.IntN(14)), 2+random.IntN(2)
		most := int(math.Exp(random.Float64() * math.Log(6000/float64(len(set)))))
		if i == 0 {
			most = 12_000 / len(set)
		}
		weighted := random.IntN(3) > 0
		for s := range set {
			n, flips := 1+random.IntN(most), math.Pow(random.Float64(), 4)
			set[s] = crafted{size: n + random.IntN(1400), right: make([][]bool, n)}
			parts := [][][]bool{set[s].right}
			if i%4 == 3 {
				set[s].again = make([][]bool, n)
				parts = append(parts, set[s].again)
			}
			for q := range n {
				known := random.Float64() < 0.6
				for _, right := range parts {
					for range count {
						right[q] = append(right[q], known != (random.Float64() < flips))
					}
				}
			}
		}
		margin := []float64{0.005, 0.01, 0.05}[i%3]
		c, err := comparison(craft(t, count, set, weighted), Options{Recommend: true, Confidence: 0.95, Margin: margin})
		if err != nil {
			t.Fatal(err)
		}
		consistent(t, fmt.Sprintf("random comparison %d", i), c)
	}
}

// TestEqualRunsAreSeldomLeftOutOfTheBest has four runs that are equally good, of which the best is found by looking: one of the
// others is called worse 5 % of the time at most.
func TestEqualRunsAreSeldomLeftOutOfTheBest(t *testing.T) {
	draws, most := 300, 0.05+4*math.Sqrt(0.05*0.95/300)
	if os.Getenv("LONG") != "" {
		draws, most = 10_000, 0.05
	}
	random, wrong := rand.New(rand.NewPCG(36, 5)), 0
	for range draws {
		right := make([][]bool, 100)
		for q := range right {
			for range 4 {
				right[q] = append(right[q], random.Float64() < 0.7)
			}
		}
		c, err := comparison(craft(t, 4, []crafted{{size: 100, right: right}}, false), Options{Confidence: 0.95, Margin: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Tied) < 4 {
			wrong++
		}
	}
	if share := float64(wrong) / float64(draws); share > most {
		t.Errorf("one of equal runs is left out %.4f of the time", share)
	} else {
		t.Logf("one of equal runs is left out %.4f of the time", share)
	}
}

// TestSubjectsAreMarkedByTheirOwnConfidence has a subject whose p lies between 1 and 5 %.
func TestSubjectsAreMarkedByTheirOwnConfidence(t *testing.T) {
	set := []crafted{{size: 100, right: marks(2, 10, 50, 20)}}
	for confidence, want := range map[float64]string{0.95: "", 0.99: insignificant} {
		c, err := comparison(craft(t, 2, set, false), Options{Confidence: confidence, Margin: 0.01, Rules: true})
		if err != nil {
			t.Fatal(err)
		}
		p := &c.Pairs[0]
		for _, s := range []page.Section{p.subjectSection(c), p.ruleSection(c)} {
			row := s.Table.Rows[0]
			if row[len(row)-1] != want || s.Table.Head[4] != c.interval() || (p.CI.Low > 0) != (want == "") {
				t.Errorf("%g: %q, %q", confidence, s.Table.Head, row)
			}
		}
	}
}

// TestEvenDrawsAreComparedOverTheWholeSet has B win more questions of a sample that is even over subjects, and lose more of the
// set.
func TestEvenDrawsAreComparedOverTheWholeSet(t *testing.T) {
	var set []crafted
	for s, size := range []int{1351, 1299, 1132, 1101, 969, 924, 844, 818, 798, 789, 717, 499, 410, 381} {
		if s < 5 { // a third of the sample, and half of the set
			set = append(set, crafted{size: size, right: marks(25, 0, 50, 25)})
		} else {
			set = append(set, crafted{size: size, right: marks(0, 15+s/2, 45, 40-s/2)})
		}
	}
	c, err := comparison(craft(t, 2, set, true), Options{Recommend: true, Confidence: 0.95, Margin: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	consistent(t, "even draw", c)
	p := &c.Pairs[0]
	if !(p.Difference.Or(0) < 0) || !(p.Sample.Difference.Or(0) > 0) || p.Covers != metrics.WholeSet || p.Decision == Better {
		t.Errorf("%s: difference %v, of the sample %v", p.Decision, p.Difference, p.Sample.Difference)
	}
	if effective := p.Effective.Or(0); effective < 1000 || effective > 1500 {
		t.Errorf("1,400 questions tell as much as %g", effective)
	}
}

// TestEveryTaskIsComparedAsItsHeadlines has draws that are not proportional to the set: what resamples questions weights them,
// too.
func TestEveryTaskIsComparedAsItsHeadlines(t *testing.T) {
	for name, pair := range map[string][2]testRun{
		"binary": {binaryRun("Q8_0", 60, func(q, option int) bool { return option == q%4 || q%7 == 0 }),
			binaryRun("Q4_K_M", 60, func(q, option int) bool { return option == q%4 && (q%3 > 0 || q%5 > 0) })},
		"circular": {circularRun("Q8_0", 60, func(q, _ int) bool { return q%4 > 0 }),
			circularRun("Q4_K_M", 60, func(q, rotation int) bool { return q%4 > 0 && (q%3 > 0 || rotation != 2) || q == 8 })},
		"repeats": {mcqRun("Q8_0", 60, func(q int) bool { return q%4 > 0 }).again(2, nil),
			mcqRun("Q4_K_M", 60, func(q int) bool { return q%4 > 0 && q%9 > 0 }).again(2, nil)},
	} {
		for i := range pair {
			pair[i].header.Selection.Population = map[string]int{subjects[0]: 900, subjects[1]: 60, subjects[2]: 200}
		}
		c := compared(t, Options{}, pair[0], pair[1])
		p, a, b := &c.Pairs[0], c.Runs[0].Headline, c.Runs[1].Headline
		if p.Covers != metrics.WholeSet || a.Covers != metrics.WholeSet || p.Difference.Or(0) == p.Sample.Difference.Or(0) ||
			math.Abs(p.ValueA.Or(9)-a.Value.Or(8)) > 1e-9 || math.Abs(p.ValueB.Or(9)-b.Value.Or(8)) > 1e-9 {
			t.Errorf("%s: %v → %v of %s, headlines %v and %v of %s", name, p.ValueA, p.ValueB, p.Covers, a.Value, b.Value, a.Covers)
		}
		if p.ShownWorse() && p.ShownNotWorse() || !p.CI.Contains(p.Difference.Or(9)) {
			t.Errorf("%s: %s, %v in %+v", name, p.Decision, p.Difference, p.CI)
		}
	}
}
