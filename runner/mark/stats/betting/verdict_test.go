package betting

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/mark/stats"
)

// A population is, by subject, how many questions are asked, and how often one of the models alone gets one like them right, or the other.
type population []struct {
	questions int
	up, down  float64
}

// drawn returns the differences of questions and their subjects, in an order with the subjects in proportion in every part.
func (p population) drawn(source *rand.Rand) (differences, subjects []int) {
	type question struct {
		place               float64
		difference, subject int
	}
	var all []question
	for s, each := range p {
		for k := range each.questions {
			q := question{place: (float64(k) + source.Float64()) / float64(each.questions), subject: s}
			switch u := source.Float64(); {
			case u < each.up:
				q.difference = 1
			case u < each.up+each.down:
				q.difference = -1
			}
			all = append(all, q)
		}
	}
	slices.SortFunc(all, func(a, b question) int { return cmp.Compare(a.place, b.place) })
	for _, q := range all {
		differences, subjects = append(differences, q.difference), append(subjects, q.subject)
	}
	return differences, subjects
}

// draws is the number of simulations: the usual one, or with LONG the long one.
func draws(usual, long int) int {
	if os.Getenv("LONG") != "" {
		return long
	}
	return usual
}

// TestTestsRarelyDecideWrongly has models that are as good as each other, or worse by just the margin, in worlds whose subjects differ.
// Each decision alone is wrong half of alpha at most.
func TestTestsRarelyDecideWrongly(t *testing.T) {
	const margin, alpha = 0.05, 0.05
	lost := func(d stats.Decision) bool { return d.NonInferior() }
	better := func(d stats.Decision) bool { return d == stats.Better }
	worse := func(d stats.Decision) bool { return d == stats.Worse }
	for name, test := range map[string]struct {
		population
		wrong func(stats.Decision) bool
	}{
		"equal, few differ":             {population{{400, .02, .02}}, better},
		"equal, many differ":            {population{{400, .25, .25}}, better},
		"equal, subjects are not":       {population{{200, .3, 0}, {200, 0, .3}}, better},
		"equal, subjects differ":        {population{{300, .3, 0}, {100, 0, .9}}, better},
		"equal, all of a small set":     {population{{56, .1, .1}}, better},
		"equal, but not worse":          {population{{56, .1, .1}}, worse},
		"at the margin, few":            {population{{400, 0, .05}}, lost},
		"at the margin, many":           {population{{400, .15, .2}}, lost},
		"at the margin, by a part":      {population{{40, 0, .95}, {360, .05, 0}}, lost},
		"at the margin, by most":        {population{{360, 0, .1}, {40, .4, 0}}, lost},
		"at the margin, and not beyond": {population{{400, .15, .2}}, worse},
		"at the margin, a part beyond":  {population{{40, 0, .95}, {360, .05, 0}}, worse},
		"worse by more":                 {population{{400, .1, .175}}, lost},
		"at the margin, 14 subjects": {population{{90, .1, .2}, {87, 0, .1}, {75, 0, 0}, {73, 0, .05}, {65, .1, .1}, {61, 0, .2}, {56, .05, 0},
			{55, 0, 0}, {53, 0, .04}, {53, .15, .15}, {48, 0, .12}, {33, .1, 0}, {27, 0, .3}, {24, .05, .0875}}, lost},
	} {
		source, rounds, wrong := rand.New(rand.NewPCG(3, 9)), draws(2000, 40_000), 0
		for range rounds {
			differences, subjects := test.drawn(source)
			bet := New(subjects, margin, alpha)
			for _, d := range differences {
				if decision := bet.Add(d, d); decision != stats.Undecided {
					if test.wrong(decision) {
						wrong++
					}
					break
				}
			}
		}
		share := float64(wrong) / float64(rounds)
		t.Logf("%s: %.4f wrong", name, share)
		assert.Check(t, share <= alpha/2, "%s: %.4f of the decisions are wrong", name, share)
	}
}

// TestBlocksHoldEverySubject has weights by which each block counts as all of the order does.
func TestBlocksHoldEverySubject(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 10))
	for _, set := range []population{{{1, 0, 0}}, {{5, 0, 0}, {1, 0, 0}}, {{1351, 0, 0}, {1299, 0, 0}, {410, 0, 0}, {381, 0, 0}, {30, 0, 0}}} {
		_, subjects := set.drawn(source)
		blocks, from := blocksOf(subjects), 0
		for _, b := range blocks {
			parts := make([]float64, len(set))
			for _, h := range subjects[from:b.end] {
				parts[h] += b.weights[h] / float64(b.end-from)
			}
			for h, part := range parts {
				want := float64(set[h].questions) / float64(len(subjects))
				assert.Check(t, math.Abs(part-want) <= 1e-9, "a subject's part is %g, and of all %g", part, want)
			}
			from = b.end
		}
		if from != len(subjects) || len(set) > 2 && (len(blocks) < 15 || blocks[0].largest > 2.5) {
			t.Errorf("%v: %d blocks, %d of %d questions", set, len(blocks), from, len(subjects))
		}
	}
}

// TestAllOfASetDecidesNoMoreThanItsQuestionsDo has differences that came last and are all that is left of a set.
func TestAllOfASetDecidesNoMoreThanItsQuestionsDo(t *testing.T) {
	for name, test := range map[string]struct {
		up, down int
		want     stats.Decision
	}{
		"one is worse":        {0, 1, stats.Undecided},
		"none differs":        {0, 0, stats.Undecided},
		"one is better":       {1, 0, stats.Undecided},
		"all of 200 are lost": {0, 200, stats.Worse},
		"all of 200 are won":  {200, 0, stats.Better},
	} {
		bet, got := New(make([]int, 200), 0.01, 0.05), stats.Undecided
		for i := range 200 {
			switch {
			case i >= 200-test.down:
				got = bet.Add(-1, -1)
			case i >= 200-test.up:
				got = bet.Add(1, 1)
			default:
				got = bet.Add(0, 0)
			}
		}
		notWorse, worse, better := bet.Evidence()
		assert.Check(t, got == test.want && !math.IsNaN(notWorse+worse+better), "%s: %q: %g, %g, %g", name, got, notWorse, worse, better)
	}
}

// All answers are the same, but for a fifth that failed.
func TestFailedQuestionsSpeakAgainstEveryDecision(t *testing.T) {
	for name, each := range map[string]struct {
		least, most int
		never       []stats.Decision
	}{
		"that are right there": {-1, 0, []stats.Decision{stats.NotWorse, stats.Better}},
		"that are wrong there": {0, 1, []stats.Decision{stats.Worse}},
	} {
		bet := New(make([]int, 1000), 0.05, 0.05)
		got := stats.Undecided
		for i := 0; i < 1000 && got == stats.Undecided; i++ {
			switch i % 5 {
			case 0:
				got = bet.Add(each.least, each.most)
			default:
				got = bet.Add(0, 0)
			}
		}
		assert.Check(t, !slices.Contains(each.never, got), "a fifth fails, %s: %s", name, got)
	}
}

// meanQuestions simulates runs and returns the mean number of questions that their tests take.
func (p population) meanQuestions(margin float64, runs int) float64 {
	source, questions := rand.New(rand.NewPCG(3, 11)), 0
	for range runs {
		differences, subjects := p.drawn(source)
		bet := New(subjects, margin, 0.05)
		for _, d := range differences {
			questions++
			if bet.Add(d, d) != stats.Undecided {
				break
			}
		}
	}
	return float64(questions) / float64(runs)
}

// TestBlocksTakeFewQuestionsMore has MMLU-Pro's subjects: a block waits for one question of each, and their weights differ.
func TestBlocksTakeFewQuestionsMore(t *testing.T) {
	set, all := population{}, 0
	for _, n := range []int{1351, 1299, 1132, 1101, 969, 924, 844, 818, 798, 789, 717, 499, 410, 381} {
		set, all = append(set, population{{n, .04, .04}}...), all+n
	}
	runs := draws(200, 1000)
	with, without := set.meanQuestions(0.02, runs), population{{all, .04, .04}}.meanQuestions(0.02, runs)
	t.Logf("%.0f questions on average, %.0f without subjects", with, without)
	assert.Check(t, with <= 1.35*without, "%.0f questions on average, %.0f without subjects", with, without)
}

// TestATestTakesLittleMoreThanTheFixedNumber is of models that are equally good.
func TestATestTakesLittleMoreThanTheFixedNumber(t *testing.T) {
	for _, test := range []struct {
		questions     int
		flips, margin float64
	}{{12032, 0.08, 0.01}, {12032, 0.20, 0.02}, {12032, 0.08, 0.02}, {12032, 0.02, 0.01}, {1400, 0.08, 0.03}} {
		mean := population{{test.questions, test.flips / 2, test.flips / 2}}.meanQuestions(test.margin, draws(60, 1000))
		fixed := 7.85 * test.flips / test.margin / test.margin
		t.Logf("%+v: %.0f on average, fixed %.0f, ratio %.2f", test, mean, fixed, mean/fixed)
		assert.Check(t, mean <= 1.5*fixed, "%+v: %.0f questions", test, mean)
	}
}
