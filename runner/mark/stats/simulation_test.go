package stats_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/betting"
)

// What docs/statistics.md claims: how often an interval holds the truth at least, and at most where answers of all kinds are many; how
// often a gate passes wrongly at most, and fails wrongly; how often bets decide wrongly, and bets and interval together; and how often
// equal models are called different.
const (
	covered   = 0.93
	tooOften  = 0.97
	passes    = 0.025
	fails     = 0.04
	bets      = 0.025
	together  = 0.05
	different = 0.05
)

// sizes are numbers of questions: the fewest that are compared, some of each subject, and all of MMLU-Pro.
var sizes = []int{stats.FewestPairs, 56, 168, 1400, 12_032}

// draws is the number of simulated runs with n questions each.
func draws(n int) int {
	usual := min(800, max(40, 200_000/n))
	if os.Getenv("LONG") != "" {
		return 20 * usual
	}
	return usual
}

// bad is the chance of a draw with which nobody would believe that a claim holds.
const bad = 1e-4

// within fails where something happened too often or too seldom for its chance to lie from least to most.
func within(t *testing.T, what string, happened, draws int, least, most float64) {
	t.Helper()
	often := stats.BinomialTail(happened, draws, most).Or(0)
	seldom := stats.BinomialTail(draws-happened, draws, 1-least).Or(0)
	assert.Check(t, often >= bad && seldom >= bad, "%s in %d of %d draws, not %g to %g of the time", what, happened, draws, least, most)
}

// A kind of question has a chance that an item of it is answered right, and, where the items are options to judge, that one of the wrong
// ones is called wrong.
type kind struct {
	share          float64 // of all questions
	subject        int
	options        int
	right, refuses float64
}

// A world has questions of several kinds, and two models; the second answers some items anew and loses some of those it has right.
type world struct {
	name          string
	kinds         []kind
	changed, lost float64
	many          bool // right, wrong and changed answers
}

// eighths are how many of eight questions belong to each subject, which has two kinds of them.
var eighths = [...]int{4, 2, 1, 1}

// eight are chances by kind, of each subject the easy ones first.
type eight [2 * len(eighths)]float64

func worldOf(name string, changed float64, many bool, right, refuses eight) world {
	w := world{name: name, changed: changed, many: many}
	for i := range right {
		w.kinds = append(w.kinds, kind{float64(eighths[i/2]) / 16, i / 2, 3 + i, right[i], refuses[i]})
	}
	return w
}

// worlds are models that know some questions and not others; one is rarely wrong, and one likes to say yes.
var worlds = []world{
	worldOf("knows half", 0.2, true, eight{0.95, 0.3, 0.8, 0.5, 0.9, 0.2, 0.6, 0.1}, eight{0.97, 0.8, 0.95, 0.85, 0.9, 0.8, 0.9, 0.7}),
	worldOf("rarely wrong", 0.5, false, eight{0.999, 0.998, 0.999, 0.99, 1, 0.995, 0.998, 0.99}, eight{1, 0.999, 1, 0.998, 1, 0.999, 1, 0.99}),
	worldOf("knows little", 1, true, eight{0.5, 0.1, 0.3, 0.05, 0.2, 0.1, 0.4, 0.1}, eight{0.95, 0.9, 0.98, 0.9, 0.95, 0.9, 0.98, 0.97}),
	worldOf("says yes", 0.05, true, eight{0.98, 0.4, 0.95, 0.2, 0.9, 0.3, 0.98, 0.3}, eight{0.4, 0.98, 0.3, 0.95, 0.5, 0.99, 0.4, 0.98}),
}

// answers are how many of a question's items a model has right, or is expected to: the first item, the first three, all rotations and
// whether these are all right, and the wrong options that it calls wrong.
type answers struct{ first, three, rotations, perfect, refused float64 }

// expected are the answers to a kind's questions of a model that keeps some of what is right.
func (k kind) expected(keeps float64) answers {
	n, p := float64(k.options), k.right*keeps
	return answers{p, 3 * p, n * p, math.Pow(p, n), (n - 1) * k.refuses * keeps}
}

// ask draws both models' answers to a question.
func (w *world) ask(random *rand.Rand, k kind) (both [2]answers) {
	a, b := &both[0], &both[1]
	for i := range k.options {
		first, second := w.item(random, k.right)
		a.rotations, b.rotations = a.rotations+first, b.rotations+second
		if i < 3 {
			a.three, b.three = a.three+first, b.three+second
		}
		if i == 0 {
			a.first, b.first = first, second
			continue
		}
		first, second = w.item(random, k.refuses)
		a.refused, b.refused = a.refused+first, b.refused+second
	}
	for m := range both {
		if both[m].rotations == float64(k.options) {
			both[m].perfect = 1
		}
	}
	return both
}

// item is 1 for each model that has an item right.
func (w *world) item(random *rand.Rand, chance float64) (first, second float64) {
	if random.Float64() < chance {
		first, second = 1, 1
	}
	if random.Float64() < w.changed {
		if second = 0; random.Float64() < chance {
			second = 1
		}
	}
	if w.lost > 0 && random.Float64() < w.lost {
		second = 0
	}
	return first, second
}

// kind draws one of a subject's kinds, or, where that is below 0, one of all.
func (w *world) kind(random *rand.Rand, subject int) kind {
	if subject < 0 {
		eighth := random.IntN(8)
		for subject = 0; eighth >= eighths[subject]; subject++ {
			eighth -= eighths[subject]
		}
	}
	return w.kinds[2*subject+random.IntN(2)]
}

// A figure is the measure of a task: a statistic of the totals of a question's items. used is how many totals it uses.
type figure struct {
	name      string
	totals    func(options float64, a answers) [4]float64
	used      int
	statistic stats.Statistic
	estimate  func(questions [][]float64) stats.Estimate
	whole     bool // a question is right or wrong
}

var figures = []figure{
	{"MCQ", func(_ float64, a answers) [4]float64 { return [4]float64{a.first, 1} }, 2, stats.OfRatio, proportion, true},
	{"repeats", func(_ float64, a answers) [4]float64 { return [4]float64{a.three / 3, 1} }, 2, stats.OfRatio, mean, false},
	{"perf_circular", func(_ float64, a answers) [4]float64 { return [4]float64{a.perfect, 1} }, 2, stats.OfRatio, proportion, true},
	{"acc_circular", func(n float64, a answers) [4]float64 { return [4]float64{a.rotations, n} }, 2, stats.OfRatio, clustered, false},
	{"Binary", confusion, 4, stats.OfBalancedAccuracy, balanced, false},
}

func confusion(options float64, a answers) [4]float64 {
	return [4]float64{a.first, options - 1 - a.refused, a.refused, 1 - a.first}
}

func proportion(questions [][]float64) stats.Estimate {
	right := 0
	for _, x := range questions {
		right += int(x[0])
	}
	return stats.Proportion(right, len(questions), stats.DefaultConfidence)
}

func mean(questions [][]float64) stats.Estimate {
	scores := make([]float64, len(questions))
	for i, x := range questions {
		scores[i] = x[0]
	}
	return stats.Mean(scores, stats.DefaultConfidence)
}

func clustered(questions [][]float64) stats.Estimate {
	clusters := make([]stats.Cluster, len(questions))
	for i, x := range questions {
		clusters[i] = stats.Cluster{Successes: int(x[0]), Items: int(x[1])}
	}
	return stats.ClusteredProportion(clusters, stats.DefaultConfidence)
}

func balanced(questions [][]float64) stats.Estimate {
	confusions := make([]stats.Confusion, len(questions))
	for i, x := range questions {
		confusions[i] = stats.Confusion{
			TruePositive: int(x[0]), FalsePositive: int(x[1]), TrueNegative: int(x[2]), FalseNegative: int(x[3]),
		}
	}
	return stats.BalancedAccuracy(confusions, stats.DefaultConfidence)
}

// gap is the second model's statistic less the first's.
func (f *figure) gap(x []float64) (float64, []float64) {
	a, down := f.statistic(x[:f.used])
	b, up := f.statistic(x[f.used:])
	gradient := slices.Concat(down, up)
	for i := range down {
		gradient[i] = -gradient[i]
	}
	return b - a, gradient
}

// difference compares the models.
func (f *figure) difference(questions [][]float64) stats.Interval {
	if !f.whole {
		return stats.PairedTotals(questions, f.gap, stats.DefaultConfidence).Interval
	}
	var table stats.Pairs
	for _, x := range questions {
		table.Add(x[0] == 1, x[2] == 1)
	}
	return table.Score().Difference(stats.DefaultConfidence).Interval
}

// truth returns both models' true scores in a world.
func (f *figure) truth(w *world) (a, b float64) {
	sum := make([]float64, 2*f.used)
	for _, k := range w.kinds {
		for m, keeps := range []float64{1, 1 - w.lost} {
			x := f.totals(float64(k.options), k.expected(keeps))
			for i := range f.used {
				sum[m*f.used+i] += k.share * x[i]
			}
		}
	}
	a, _ = f.statistic(sum[:f.used])
	b, _ = f.statistic(sum[f.used:])
	return a, b
}

// turned is an interval of the models in the other order.
func turned(i stats.Interval) stats.Interval {
	i.Low, i.High = -i.High, -i.Low
	return i
}

// wrong says whether a decision at a margin is, where the second model is better by so much.
func wrong(d stats.Decision, margin, better float64) bool {
	const rounding = 1e-12
	switch d {
	case stats.Better:
		return better <= rounding
	case stats.NotWorse:
		return better <= -margin+rounding
	case stats.Worse:
		return better >= -margin-rounding
	}
	return false
}

// A count is how often something happened with a figure.
type count struct {
	held, heldDifference, told int
	passed, failed             [2]int // with the models in both orders
}

// TestIntervalsAndGatesKeepTheirWord draws questions anew for every interval, of models that are equally good, and where one is worse.
func TestIntervalsAndGatesKeepTheirWord(t *testing.T) {
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			for _, n := range sizes {
				for _, w.lost = range []float64{0, 0.04} {
					w.keepsWord(t, n)
				}
			}
		})
	}
}

// keepsWord compares each figure's interval, and the interval of the models' difference, with the truth.
func (w *world) keepsWord(t *testing.T, n int) {
	t.Helper()
	random, counts, drawn := rand.New(rand.NewPCG(60, uint64(n))), make([]count, len(figures)), make([][][]float64, len(figures))
	for i, f := range figures {
		for range n {
			drawn[i] = append(drawn[i], make([]float64, 2*f.used))
		}
	}
	for range draws(n) {
		w.draw(random, drawn)
		for i := range figures {
			counts[i].add(&figures[i], w, drawn[i])
		}
	}
	for i, c := range counts {
		what, many := fmt.Sprintf("%s of %d questions, %g lost: ", figures[i].name, n, w.lost), 1.0
		if w.many && n >= 1400 {
			many = tooOften
		}
		if w.lost == 0 {
			within(t, what+"the interval holds the truth", c.held, draws(n), covered, many)
			within(t, what+"equal models are called different", c.told, draws(n), 0, different)
		}
		if !figures[i].whole {
			many = 1 // of losses that are parts of questions, the interval is as wide as of whole ones
		}
		within(t, what+"the difference's interval holds the truth", c.heldDifference, draws(n), covered, many)
		for order := range c.passed {
			within(t, what+"the gate passes wrongly", c.passed[order], draws(n), 0, passes)
			within(t, what+"the gate fails wrongly", c.failed[order], draws(n), 0, fails)
		}
	}
}

// draw fills in the totals of each figure's questions.
func (w *world) draw(random *rand.Rand, drawn [][][]float64) {
	for q := range drawn[0] {
		k := w.kind(random, -1)
		both := w.ask(random, k)
		for i, f := range figures {
			for m := range both {
				x := f.totals(float64(k.options), both[m])
				copy(drawn[i][q][m*f.used:], x[:f.used])
			}
		}
	}
}

// add looks at a draw, both for a gate and for one of the models in the other order.
func (c *count) add(f *figure, w *world, questions [][]float64) {
	a, b := f.truth(w)
	if w.lost == 0 { // the first model is the same where the second one loses
		first := make([][]float64, len(questions))
		for q, x := range questions {
			first[q] = x[:f.used]
		}
		if i := f.estimate(first).Interval; i.IsZero() || i.Contains(a) {
			c.held++
		}
	}
	difference := f.difference(questions)
	if difference.IsZero() || difference.Contains(b-a) {
		c.heldDifference++
	}
	margin := max(a-b, 0.01)
	for i, order := range []struct {
		interval stats.Interval
		better   float64
	}{{difference, b - a}, {turned(difference), a - b}} {
		d := stats.Decide(order.interval, margin)
		c.passed[i] += times(d.NonInferior() && wrong(stats.NotWorse, margin, order.better))
		c.failed[i] += times(d == stats.Worse && wrong(d, margin, order.better))
		c.told += times(d == stats.Better)
	}
}

func times(holds bool) int { return map[bool]int{true: 1}[holds] }

// inProportion are the subjects of questions in the order in which a run that stops by itself asks them, each in proportion throughout.
func inProportion(random *rand.Rand, n int) []int {
	type place struct {
		at      float64
		subject int
	}
	var places []place
	for subject, eighth := range eighths {
		each := n * eighth / 8
		for k := range each {
			places = append(places, place{(float64(k) + random.Float64()) / float64(each), subject})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	order := make([]int, n)
	for i, p := range places {
		order[i] = p.subject
	}
	return order
}

// margins are the margins of the runs that stop by themselves, by their number of questions.
var margins = map[int]float64{56: 0.1, 168: 0.1, 1400: 0.03, 12_032: 0.015}

// TestUntilDecidedKeepsItsWord has runs that stop once it is decided how they do beside another, which is so much better or worse.
func TestUntilDecidedKeepsItsWord(t *testing.T) {
	for _, w := range []world{worlds[0], worlds[2]} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			for n, margin := range margins {
				for _, times := range []float64{-2, -1, -0.5, 0, 2} {
					w.decides(t, n, margin, margin*times)
				}
			}
		})
	}
}

// A verdict is one reading of a run that stopped by itself: at the margin it was run with, at others, or in the other order.
type verdict struct {
	name   string
	margin float64 // by the run's
	turned bool
}

var verdicts = []verdict{{"as it ran", 1, false}, {"at half the margin", 0.5, false}, {"at twice the margin", 2, false}, {"turned", 1, true}}

// decides counts the wrong decisions of runs whose model is better by so much.
func (w world) decides(t *testing.T, n int, margin, better float64) {
	t.Helper()
	right := 0.0
	for _, k := range w.kinds {
		right += k.share * k.right
	}
	w.lost = math.Abs(better) / right
	random := rand.New(rand.NewPCG(60, uint64(n)))
	var onTheWay, inAll [4][2]int // by verdict: too good, and too bad
	for range draws(n) {
		made, end := w.untilDecided(random, n, margin, better > 0)
		for i, v := range verdicts {
			d, truth, bet := made.At(margin, v.margin*margin), better, made != stats.Undecided
			switch {
			case bet && v.turned:
				d, truth = made.Turned(), -better
			case v.turned:
				d, truth = stats.Decide(turned(end), v.margin*margin), -better
			case !bet:
				d = stats.Decide(end, v.margin*margin)
			}
			if wrong(d, v.margin*margin, truth) {
				inAll[i][times(d == stats.Worse)]++
				onTheWay[i][times(d == stats.Worse)] += times(bet)
			}
		}
	}
	for i, v := range verdicts {
		for k, too := range []string{"good", "bad"} {
			what := fmt.Sprintf("%d questions, margin %g, better by %g, %s, too %s: ", n, margin, better, v.name, too)
			within(t, what+"on the way", onTheWay[i][k], draws(n), 0, bets)
			within(t, what+"in all", inAll[i][k], draws(n), 0, together)
		}
	}
}

// untilDecided returns a run's decision on the way, or else the interval of the difference over all questions. The model is the one that loses
// some answers, unless keeps says that it is the other one.
func (w *world) untilDecided(random *rand.Rand, n int, margin float64, keeps bool) (stats.Decision, stats.Interval) {
	order, table := inProportion(random, n), stats.Pairs{}
	test := betting.New(order, margin, 1-stats.DefaultConfidence)
	for _, subject := range order {
		reference, model := w.item(random, w.kind(random, subject).right)
		if keeps {
			reference, model = model, reference
		}
		table.Add(reference == 1, model == 1)
		if d := test.Add(int(model-reference), int(model-reference)); d != stats.Undecided {
			return d, stats.Interval{}
		}
	}
	return stats.Undecided, table.Score().Difference(stats.DefaultConfidence).Interval
}
