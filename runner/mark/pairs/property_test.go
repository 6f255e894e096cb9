package pairs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/scripts/tests/sharedtest"
)

// A crafted subject has marks of what was asked: of every question, which of its items each run has right.
type crafted [][][]bool // by question, item and run

// The tasks that runs are crafted of; items of mmlu_pro are repeats.
var craftedTasks = []string{"mmlu_pro", "mmlu_pro_binary", "mmlu_pro_circular"}

// craft makes runs of subjects' marks, in memory.
func craft(t *testing.T, task string, runs int, set []crafted) []Run {
	t.Helper()
	rules, err := grade.Lookup("tiger")
	assert.NilError(t, err)
	var all []Run
	for r := range runs {
		h := journaltest.Header(task)
		h.Model.Name, h.Model.Quantization, h.Model.SizeBytes = "tiny", fmt.Sprint("run ", r), int64(1000-r)
		run := &results.Run{Header: h, RuleSets: []grade.RuleSet{rules}}
		id := 0
		for s, subject := range set {
			name := fmt.Sprintf("subject %02d", s)
			for _, items := range subject {
				if task == "mmlu_pro" {
					run.Header.Repeats = len(items)
				}
				for i, right := range items {
					run.Items = append(run.Items, craftItem(&h, id, i, len(items), name, right[r]))
				}
				id++
			}
		}
		m, err := metrics.Of(run, metrics.Options{})
		assert.NilError(t, err)
		all = append(all, Run{Name: fmt.Sprint("run ", r), Path: fmt.Sprint(r), Model: h.Model, RuleSet: m.RuleSet, Items: m.Items,
			Validity: m.Validity, Headline: m.Headline,
			Answered: m.Answered, Speed: m.Speed, Marked: run})
	}
	return all
}

// craftItem makes one of a question's items: a repeat, whether an option is the gold one (the first is), or a rotation.
func craftItem(h *journal.Header, question, item, items int, subject string, right bool) *results.Item {
	variant, options, gold, wrong, repeat := "", 10, "A", "B", 1
	switch h.Task {
	case "mmlu_pro":
		repeat += item
	case "mmlu_pro_binary":
		variant, options = journaltest.Letter(item), 2
		if item > 0 {
			gold, wrong = wrong, gold
		}
	default:
		order := "ABCDEFGHIJ"[:items]
		variant, options = order[item:]+order[:item], items
		gold, wrong = variant[:1], variant[1:2]
	}
	letter := map[bool]string{true: gold, false: wrong}[right]
	record := journaltest.Record(h, question, subject, variant, options, gold, journaltest.Answer{Letter: letter})
	record.ID, record.Repeat = journal.RepeatID(record.ID, repeat), repeat
	if h.Task == "mmlu_pro_binary" {
		record.OptionsOriginal = items
	}
	return &results.Item{Record: record, Marks: []grade.Mark{{Letter: letter, Correct: right}}}
}

// consistent fails where what a comparison says contradicts itself or the runs' headlines.
func consistent(t *testing.T, what string, c *Comparison) {
	t.Helper()
	alpha := (1 - c.Confidence) / float64(len(c.Pairs))
	for i := range c.Pairs {
		p := &c.Pairs[i]
		a, b := c.Runs[0].Headline, c.Runs[i+1].Headline
		if p.Questions < stats.FewestPairs {
			assert.Check(t, p.CI.IsZero() && !p.Difference.Defined() && !p.PValue.Defined() && !p.SmallestDetectable.Defined() &&
				p.NonInferior == nil && (p.Decision == Undecided || p.Decision == Identical), "%s: %+v of %d questions", what, p, p.Questions)
			continue
		}
		assert.Check(t, p.Covers == a.Covers && math.Abs(b.Value.Or(9)-a.Value.Or(9)-p.Difference.Or(8)) <= 1e-9,
			"%s: difference %v of %s, headlines %v and %v of %s", what, p.Difference, p.Covers, a.Value, b.Value, a.Covers)
		q := p.PValue.Or(9)
		inverted(t, what, &c.Runs[0], &c.Runs[i+1], p)
		apart := p.CI.Low > 0 || p.CI.High < 0
		if math.Abs(q-alpha) > 1e-9 && apart != (q < alpha) || !p.CI.IsZero() && math.Abs(p.CI.Confidence-(1-alpha)) > 1e-12 {
			t.Errorf("%s: p %g at %g, interval %+v", what, q, alpha, p.CI)
		}
		if len(c.Pairs) > 1 && math.Abs(q-alpha) > 1e-9 && (p.PAdjusted.Or(9) < 1-c.Confidence) != apart {
			t.Errorf("%s: adjusted p %v, interval %+v", what, p.PAdjusted, p.CI)
		}
		if p.PMcNemar.Defined() && p.Test != scoreTest { // an exact test needs questions that count once
			t.Errorf("%s: exact p %v beside the test %q", what, p.PMcNemar, p.Test)
		}
		if p.Test == scoreTest && p.Table.McNemar().Or(1) < alpha && !apart {
			t.Errorf("%s: exact p %v, interval %+v", what, p.Table.McNemar(), p.CI)
		}
		if p.ShownNotWorse() != (!p.CI.IsZero() && p.CI.Low > -c.Margin) || p.ShownWorse() != (p.Decision == Worse) ||
			p.ShownWorse() && p.ShownNotWorse() {
			t.Errorf("%s: %s, not worse %v, interval %+v", what, p.Decision, p.ShownNotWorse(), p.CI)
		}
		says := map[Decision]bool{
			Better: p.CI.Low > 0, NotWorse: p.CI.Low > -c.Margin && p.CI.Low <= 0, Worse: p.CI.High < -c.Margin,
			Undecided: p.CI.IsZero() || p.CI.High >= -c.Margin && p.CI.Low <= -c.Margin,
			Identical: p.Table.Discordant() == 0 && p.Difference.Or(9) == 0,
		}
		assert.Check(t, says[p.Decision], "%s: %s by %+v", what, p.Decision, p.CI)
		if strings.Contains(p.Verdict, " is better than ") && !(p.Difference.Or(0) > 0) ||
			strings.Contains(p.Verdict, " is worse than ") && !(p.Difference.Or(0) < 0) {
			t.Errorf("%s: %s, of a difference of %v", what, p.Verdict, p.Difference)
		}
		if p.Advice != "" && (p.Decision == Better || p.Decision == Worse || p.Decision == NotWorse) {
			t.Errorf("%s: %s, and more questions to decide it", what, p.Decision)
		}
	}
	want, r := "", c.Recommend(nil) // the smallest, which is the last, of those that are not worse
	for i := range c.Pairs {
		if p := &c.Pairs[i]; p.ShownNotWorse() && !p.ShownWorse() && c.Runs[0].BeatsGuessing() {
			want = p.B
		}
	}
	assert.Check(t, r.Run == want, "%s: %q recommended, not %q", what, r.Run, want)
	if len(c.Runs) > 2 {
		tied(t, what, c)
	}
}

// inverted fails where p is not one less the confidence whose interval ends at no difference.
func inverted(t *testing.T, what string, a, b *Run, p *Pair) {
	t.Helper()
	q, known := p.PValue.Get()
	assert.Check(t, known != p.CI.IsZero(), "%s: p %v, interval %+v", what, p.PValue, p.CI)
	if !known || q < 1e-6 || q > 0.999 {
		return
	}
	i := measureOf(a, b).outcome(sharedBy(a.Marked.View(0), b.Marked.View(0)).questions(), Options{Confidence: 1 - q}).CI
	end := map[bool]float64{true: i.Low, false: i.High}[p.Difference.Or(0) > 0]
	if !i.IsZero() && math.Abs(end) > 1e-8 {
		t.Errorf("%s: p %g, and an interval of %g that ends at %g", what, q, 1-q, end)
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

// marks makes questions: onlyA are right in A alone, onlyB in B alone, then those right in both and in neither. If a question has several
// items, one of them is wrong where the question is.
func marks(items, onlyA, onlyB, both, neither int) crafted {
	var all crafted
	for i, n := range []int{onlyA, onlyB, both, neither} {
		for q := range n {
			question := make([][]bool, items)
			for item := range question {
				question[item] = []bool{i == 0 || i == 2 || item != q%items, i == 1 || i == 2 || item != (q+1)%items}
			}
			all = append(all, question)
		}
	}
	return all
}

// TestNoComparisonContradictsItself is of all tables of few questions.
func TestNoComparisonContradictsItself(t *testing.T) {
	for _, n := range sharedtest.Few(2, []int{10, 3, 1, 9, 11, 14}) {
		for onlyA := 0; onlyA <= n; onlyA++ {
			for onlyB := 0; onlyA+onlyB <= n; onlyB++ {
				for at, task := range craftedTasks {
					items := 1 + 3*min(1, at)
					set := []crafted{marks(items, onlyA, onlyB, n-onlyA-onlyB, 0), marks(items, onlyB, onlyA, 0, 3)}
					for subjects := 1; subjects <= 2; subjects++ {
						runs := craft(t, task, 2, set[:subjects])
						c, err := comparison(runs, Options{Confidence: 0.95, Margin: 0.01})
						assert.NilError(t, err)
						consistent(t, fmt.Sprintf("%s: %d of %d in A alone, %d in B, %d subjects", task, onlyA, n, onlyB, subjects), c)
					}
				}
			}
		}
	}
}

// TestNoRandomComparisonContradictsItself is of up to 12,000 items, 1 to 14 subjects and two or three runs: of each task, and of
// questions that were asked twice.
func TestNoRandomComparisonContradictsItself(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 3))
	for i := range sharedtest.Count(40, 80) {
		set, count := make([]crafted, 1+random.IntN(14)), 2+random.IntN(2)
		task, items := craftedTasks[i%4%3], []int{1, 4, 4, 2}[i%4]
		most := int(math.Exp(random.Float64() * math.Log(float64(6000/items/len(set)))))
		if i == 0 {
			most = 12_000 / len(set)
		}
		for s := range set {
			n, flips := 1+random.IntN(most), math.Pow(random.Float64(), 4)
			set[s] = make(crafted, n)
			for q := range n {
				known := random.Float64() < 0.6
				for range items {
					var right []bool
					for range count {
						right = append(right, known != (random.Float64() < flips))
					}
					set[s][q] = append(set[s][q], right)
				}
			}
		}
		margin := []float64{0.005, 0.01, 0.05}[i%3]
		c, err := comparison(craft(t, task, count, set), Options{Confidence: 0.95, Margin: margin})
		assert.NilError(t, err)
		consistent(t, fmt.Sprintf("random comparison %d, %s", i, task), c)
	}
}

// TestEqualRunsAreSeldomLeftOutOfTheBest has four runs that are equally good, and picks the best by its score: one of the others is called
// worse 5 % of the time at most.
func TestEqualRunsAreSeldomLeftOutOfTheBest(t *testing.T) {
	draws, most := 300, 0.05+4*math.Sqrt(0.05*0.95/300)
	if os.Getenv("LONG") != "" {
		draws, most = 10_000, 0.05
	}
	random, wrong := rand.New(rand.NewPCG(36, 5)), 0
	for range draws {
		right := make([][][]bool, 100)
		for q := range right {
			right[q] = [][]bool{make([]bool, 4)}
			for run := range 4 {
				right[q][0][run] = random.Float64() < 0.7
			}
		}
		c, err := comparison(craft(t, "mmlu_pro", 4, []crafted{right}), Options{Confidence: 0.95, Margin: 0.01})
		assert.NilError(t, err)
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
