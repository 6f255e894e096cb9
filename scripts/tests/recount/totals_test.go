package recount

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/scripts/tests/sharedtest"
)

// A twin is a question as two runs answered it: the items that both have a score for, and whether that is all of them.
type twin struct {
	a, b  []*plainItem
	whole bool
}

// twins are the questions of two runs that were asked the same items.
func twins(a, b *plainRun) (all []twin) {
	other := map[string]*plainItem{}
	for _, it := range scoredOf(b.items) {
		other[it.ID] = it
	}
	for _, question := range by(a.items, questionOf) {
		var t twin
		for _, it := range scoredOf(question) {
			if second := other[it.ID]; second != nil {
				t.a, t.b = append(t.a, it), append(t.b, second)
			}
		}
		if t.whole = len(t.a) == len(question); len(t.a) > 0 {
			all = append(all, t)
		}
	}
	return all
}

func allRight(items []*plainItem) float64 { return one(total(items, rightOf) == float64(len(items))) }

// totals returns a run's sums over a question's items for its task's ratios. Binary has two ratios, right ones by their gold answer. The others
// have one: the orders that are right as a whole, of every repeat, or the mean of the repeats.
func totals(task string, items []*plainItem, whole bool) []float64 {
	switch {
	case task == "mmlu_pro_binary":
		return confusionsOf(items)[0].x
	case task == "mmlu_pro":
		return []float64{meanOf(each(items, rightOf)), 1}
	case !whole:
		return nil
	}
	x := []float64{0, 0}
	for _, repeat := range by(items, func(it *plainItem) int { return it.Repeat }) {
		x[0], x[1] = x[0]+allRight(repeat), x[1]+1
	}
	return x
}

// A plainGap is the difference of two runs' totals, its standard error, and how many questions it is of.
type plainGap struct{ a, b, error, n float64 }

func gapOf(a, b *plainRun) (g plainGap) {
	var units []unit
	for _, t := range twins(a, b) {
		if x := totals(a.task, t.a, t.whole); x != nil {
			units = append(units, unit{t.a[0].Subject, append(append([]float64{}, x...), totals(a.task, t.b, t.whole)...)})
			g.n++
		}
	}
	rate := func(x []float64) float64 {
		if len(x) == 4 {
			return balancedOf(x)
		}
		return ratio(x)
	}
	of := func(f func(x []float64) float64) (value, standardError float64) {
		r := plainRun{want: map[string]float64{}, trials: map[string]trial{}}
		r.linear("value", "error", "ci", units, f, -1, false)
		return r.want["value"], r.want["error"]
	}
	half := len(units[0].x) / 2
	g.a, _ = of(func(x []float64) float64 { return rate(x[:half]) })
	g.b, _ = of(func(x []float64) float64 { return rate(x[half:]) })
	_, g.error = of(func(x []float64) float64 { return rate(x[half:]) - rate(x[:half]) })
	return g
}

// z is how many standard errors, as they would be around null, the difference is from it, less a fifth of a question.
func (g plainGap) z(null float64) float64 {
	far, size := math.Abs(g.b-g.a-null), math.Abs(null)
	if far <= 0.2/g.n {
		return 0
	}
	around := g.error*g.error + far*far/g.n + far*(1-size)/2/g.n
	return (far - 0.2/g.n) / math.Sqrt(max(around, size*(1-size)/g.n))
}

// answeredAgain answers a seventh of the items anew, and fails a few.
func answeredAgain(random *rand.Rand, records []journal.Record) (all []journal.Record) {
	for _, r := range records {
		switch x := random.IntN(40); {
		case r.Failed() || x > 6:
		case x == 0:
			r.Finish, r.Cause, r.Error, r.Text = backends.FinishError, backends.CauseTimeout, "it failed", ""
			r.Usage, r.Timing = backends.Usage{}, backends.Timing{}
		default:
			r.Text = answering(random, r.Options)
		}
		all = append(all, r)
	}
	return all
}

// TestASecondPlainComputationOfComparisons is of runs of every task, and of repeats of them.
func TestASecondPlainComputationOfComparisons(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 8))
	for i := range sharedtest.Count(18, 36) {
		h, records := anyRun(random, i)
		if repeats := 1 + i/3%3; repeats > 1 {
			h, records = journaltest.Again(h, records, repeats, nil)
			records = answeredAgain(random, records)
		}
		c, runs := comparedPlainly(t, h, records, 2+i/9%3, random)
		for j := range c.Pairs {
			samePair(t, fmt.Sprintf("%s, comparison %d, pair %d", h.Task, i, j), &c.Pairs[j], runs[0], runs[j+1], float64(len(c.Pairs)))
		}
	}
}

// comparedPlainly compares runs of the same items, each answered in a way of its own, and reads them plainly as well.
func comparedPlainly(t *testing.T, h journal.Header, records []journal.Record, count int, random *rand.Rand) (*pairs.Comparison, []*plainRun) {
	t.Helper()
	h.Selection.Items = len(records)
	var paths []string
	var runs []*plainRun
	for r := range count {
		h.Model.Quantization = fmt.Sprint("Q", r)
		paths = append(paths, writeJournal(t, h, records))
		runs = append(runs, plainRunOf(t, paths[r]))
		records = answeredAgain(random, records)
	}
	c, err := pairs.Of(paths, pairs.Options{})
	assert.NilError(t, err)
	sameSpeeds(t, h.Task, c, runs)
	return c, runs
}

// sameSpeeds holds questions a minute over what all runs have answered against those worked out plainly.
func sameSpeeds(t *testing.T, what string, c *pairs.Comparison, runs []*plainRun) {
	t.Helper()
	assert.Check(t, c.OtherWork == "", "%s: %s", what, c.OtherWork)
	in := map[string]int{}
	for _, r := range runs {
		for _, it := range scoredOf(r.items) {
			in[it.ID]++
		}
	}
	for i, r := range runs {
		took, questions := 0.0, map[int]bool{}
		all := r.stretches()
		for _, it := range scoredOf(r.items) {
			if in[it.ID] == len(runs) {
				part := seconds(all, it)
				took, questions[it.Question] = took+part, true
			}
		}
		got, defined := c.Runs[i].QuestionsPerMinute.Get()
		want := 60 * float64(len(questions)) / took
		assert.Check(t, defined == (all != nil && took > 0) && (!defined || math.Abs(got-want) <= 1e-7*want),
			"%s: %g questions a minute, plainly %g", what, got, want)
	}
}

// samePair fails where a pair's figures are others than those worked out plainly.
func samePair(t *testing.T, what string, p *pairs.Pair, a, b *plainRun, pairs float64) {
	t.Helper()
	same := func(name string, got stats.Number, want float64) {
		t.Helper()
		x, known := got.Get()
		assert.Check(t, known && math.Abs(x-want) <= 1e-7*max(1, math.Abs(want)), "%s: %s is %v, plainly %.12g", what, name, got, want)
	}
	var z func(null float64) float64
	var from, to, n float64
	reach := math.Sqrt2 * math.Erfinv(1-0.05/pairs)
	if a.task != "mmlu_pro_binary" && a.repeats <= 1 {
		first, second := wholly(a, b), wholly(b, a)
		plain := pairOf(first, second)
		z, from, to, n = plain.z, plain.rightA, plain.rightB, plain.n
		same("right in A alone", stats.Ratio(p.Table.OnlyA, p.Table.Total()), plain.onlyA)
		same("right in B alone", stats.Ratio(p.Table.OnlyB, p.Table.Total()), plain.onlyB)
		sameSubjects(t, p, first, second, same)
		if flips, d := plain.onlyA+plain.onlyB, to-from; flips > 0 && n >= 10 {
			same("error", p.SE, math.Sqrt((flips-d*d)/plain.n))
			if p.Decision != "" && !p.CI.IsZero() {
				same("detectable", p.SmallestDetectable, (reach+0.8416212335729143)*math.Sqrt(flips/plain.n))
			}
		}
	} else {
		plain := gapOf(a, b)
		z, from, to, n = plain.z, plain.a, plain.b, plain.n
		if plain.error > 0 && !p.CI.IsZero() {
			same("error", p.SE, plain.error)
		}
	}
	flips, changed, items := 0.0, 0.0, 0.0
	for _, t := range twins(a, b) {
		for i := range t.a {
			flips, changed = flips+one(t.a[i].right != t.b[i].right), changed+one(t.a[i].letter != t.b[i].letter)
			items++
		}
	}
	same("flips", p.Flips, flips/items)
	same("answers changed", p.AnswerChanged, changed/items)
	same("A", p.ValueA, from)
	same("B", p.ValueB, to)
	if n < 10 { // are not compared
		assert.Check(t, p.CI.IsZero() && !p.Difference.Defined() && !p.PValue.Defined() && !p.SE.Defined(), "%s: %+v of %g questions", what, p, n)
		return
	}
	same("difference", p.Difference, to-from)
	low, high := bound(z, to-from, -1, reach), bound(z, to-from, 1, reach)
	assert.Check(t, !p.CI.IsZero(), "%s: no interval, plainly %g…%g", what, low, high)
	if !p.CI.IsZero() {
		same("p", p.PValue, math.Erfc(z(0)/math.Sqrt2))
		if pairs > 1 {
			same("adjusted p", p.PAdjusted, min(1, pairs*math.Erfc(z(0)/math.Sqrt2)))
		}
		same("low", stats.Of(p.CI.Low), low)
		same("high", stats.Of(p.CI.High), high)
	}
}

// sameSubjects checks the differences of subjects and their p, adjusted by Holm's method: each p is multiplied by the number of p that
// are not smaller, and is at least as large as those of the smaller ones.
func sameSubjects(t *testing.T, p *pairs.Pair, a, b *plainRun, same func(name string, got stats.Number, want float64)) {
	t.Helper()
	of := map[string]plainPair{}
	var ps []float64
	for _, part := range by(a.items, subjectOf) {
		subject := part[0].Subject
		if plain := pairOf(&plainRun{items: part}, b); plain.n >= 10 {
			of[subject] = plain
			ps = append(ps, math.Erfc(plain.z(0)/math.Sqrt2))
		}
	}
	slices.Sort(ps)
	for _, s := range p.Subjects {
		plain, known := of[s.Subject]
		if !known { // of few whole questions
			assert.Check(t, !s.Difference.Defined() && !s.PAdjusted.Defined(), "%s: %+v", s.Subject, s)
			continue
		}
		same(s.Subject, s.Difference, plain.rightB-plain.rightA)
		adjusted, own := 0.0, math.Erfc(plain.z(0)/math.Sqrt2)
		for i, p := range ps {
			if p <= own {
				adjusted = max(adjusted, float64(len(ps)-i)*p)
			}
		}
		same(s.Subject+", p", s.PAdjusted, min(1, adjusted))
	}
}

// wholly is a run of one item a question of those that both runs have every order of: right where all of them are.
func wholly(a, b *plainRun) *plainRun {
	var r plainRun
	for _, t := range twins(a, b) {
		if t.whole {
			it := *t.a[0]
			it.right = allRight(t.a)
			r.items = append(r.items, &it)
		}
	}
	return &r
}

// A plainPair compares two runs on the same questions: shares right in each, and right in the first or the second alone.
type plainPair struct{ rightA, rightB, onlyA, onlyB, n float64 }

// pairOf counts the items that both runs have a score for.
func pairOf(a, b *plainRun) (p plainPair) {
	other := map[int]*plainItem{}
	for _, it := range scoredOf(b.items) {
		other[it.Question] = it
	}
	for _, it := range scoredOf(a.items) {
		twin := other[it.Question]
		if twin == nil {
			continue
		}
		p.n++
		p.rightA, p.rightB = p.rightA+it.right, p.rightB+twin.right
		p.onlyA, p.onlyB = p.onlyA+it.right*(1-twin.right), p.onlyB+twin.right*(1-it.right)
	}
	return plainPair{p.rightA / p.n, p.rightB / p.n, p.onlyA / p.n, p.onlyB / p.n, p.n}
}

// z is how many standard errors the difference is from null, less a fifth of a question; the likeliest shares under null are
// where the slope of their likelihood is 0.
func (p plainPair) z(null float64) float64 {
	least, most := max(0, -null), (1-null)/2
	for range 100 {
		a := (least + most) / 2
		if p.onlyA/a+p.onlyB/(a+null)-2*(1-p.onlyA-p.onlyB)/(1-2*a-null) > 0 {
			least = a
		} else {
			most = a
		}
	}
	beyond := math.Abs(p.onlyB-p.onlyA-null) - 1/p.n/5
	if beyond <= 0 {
		return 0
	}
	return beyond / math.Sqrt((2*least+null-null*null)/p.n)
}

// bound is how far a difference can go towards an end until it is that many standard errors away.
func bound(z func(null float64) float64, difference, end, reach float64) float64 {
	inside, outside := difference, end
	for range 100 {
		if middle := (inside + outside) / 2; z(middle) > reach {
			outside = middle
		} else {
			inside = middle
		}
	}
	return inside
}

func plainRunOf(t *testing.T, path string) *plainRun {
	t.Helper()
	lines, err := os.ReadFile(path)
	assert.NilError(t, err)
	return readPlainly(lines)
}
