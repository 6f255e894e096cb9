package betting

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// A population is what models do on a set: how many questions of each subject one of them alone gets right, or the other one.
type population []struct{ questions, up, down int }

// drawn are the differences of some questions of each subject, and their subjects, so that every part of the order holds the
// subjects as all of it does; where shuffled says so, those of all questions in an order drawn from all, as of one subject.
func (p population) drawn(source *rand.Rand, asked func(questions int) int, shuffled bool) (sizes, differences, subjects []int) {
	type question struct {
		place               float64
		difference, subject int
	}
	var all []question
	for s, each := range p {
		sizes = append(sizes, each.questions)
		n := asked(each.questions)
		for rank, i := range source.Perm(each.questions)[:n] {
			q := question{(float64(rank) + source.Float64()) / float64(n), 0, s}
			switch {
			case i < each.up:
				q.difference = 1
			case i < each.up+each.down:
				q.difference = -1
			}
			if shuffled {
				q.place, q.subject = source.Float64(), 0
			}
			all = append(all, q)
		}
	}
	slices.SortFunc(all, func(a, b question) int { return cmp.Compare(a.place, b.place) })
	for _, q := range all {
		differences, subjects = append(differences, q.difference), append(subjects, q.subject)
	}
	if shuffled {
		sizes = []int{len(all)}
	}
	return sizes, differences, subjects
}

// TestTestsRarelyDecideWrongly has orders drawn from all questions, by subject in proportion, and even draws of a larger set.
func TestTestsRarelyDecideWrongly(t *testing.T) {
	rounds := 1000
	if os.Getenv("LONG") != "" {
		rounds = 10_000
	}
	const margin, alpha = 0.05, 0.05
	worse, equal := []Verdict{NotWorse, Better}, []Verdict{Worse, Better}
	for name, test := range map[string]struct {
		population
		wrong []Verdict
	}{
		"equal, few differ":        {population{{400, 8, 8}}, equal},
		"equal, many differ":       {population{{400, 100, 100}}, equal},
		"equal, subjects are not":  {population{{200, 60, 0}, {200, 0, 60}}, equal},
		"equal, subjects differ":   {population{{300, 100, 0}, {100, 0, 100}}, equal},
		"at the margin, few":       {population{{400, 0, 20}}, worse},
		"at the margin, many":      {population{{400, 60, 80}}, worse},
		"at the margin, by a part": {population{{40, 0, 40}, {360, 20, 0}}, worse},
		"at the margin, by most":   {population{{360, 0, 36}, {40, 16, 0}}, worse},
		"worse by more":            {population{{400, 40, 70}}, worse},
		"a little better":          {population{{400, 42, 40}}, []Verdict{Worse}},
		"at the margin, 14 subjects": {population{{90, 9, 18}, {87, 0, 9}, {75, 0, 0}, {73, 0, 4}, {65, 6, 6}, {61, 0, 13}, {56, 3, 0},
			{55, 0, 0}, {53, 0, 2}, {53, 8, 8}, {48, 0, 6}, {33, 3, 0}, {27, 0, 9}, {24, 10, 4}}, worse},
	} {
		for how, asked := range map[string]func(int) int{
			"drawn from all": func(n int) int { return n }, "in proportion": func(n int) int { return n },
			"a tenth": func(n int) int { return max(1, n/10) }, "even": func(n int) int { return min(n, 20) },
			"few": func(n int) int { return min(n, 3) },
		} {
			source := rand.New(rand.NewPCG(3, 9))
			wrong, seen, capital := 0, 0, 0.0
			for range rounds {
				sizes, differences, subjects := test.drawn(source, asked, how == "drawn from all")
				bet := New(sizes, subjects, margin, alpha)
				for _, d := range differences {
					seen++
					if verdict := bet.Add(d); verdict != "" {
						if slices.Contains(test.wrong, verdict) {
							wrong++
						}
						break
					}
				}
				notWorse, worse, _ := bet.Evidence()
				capital += map[bool]float64{true: worse, false: notWorse}[slices.Contains(test.wrong, Worse)] / float64(rounds)
			}
			share := float64(wrong) / float64(rounds)
			t.Logf("%s, %s: %.4f wrong, after %.0f questions, mean capital %.3f", name, how, share, float64(seen)/float64(rounds), capital)
			assert.Check(t, share <= alpha, "%s, %s: %.4f of the decisions are wrong", name, how, share)
		}
	}
}

// TestBlocksHoldEverySubject has weights that count what is left of each subject, whatever was drawn of it.
func TestBlocksHoldEverySubject(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 10))
	set := population{{1351, 0, 0}, {1299, 0, 0}, {410, 0, 0}, {381, 0, 0}, {30, 0, 0}}
	for _, most := range []int{1, 2, 30, 100, 2000} {
		sizes, _, subjects := set.drawn(source, func(n int) int { return min(n, most) }, false)
		questions, blocks := blocksOf(sizes, subjects)
		seen, from := make([]int, len(sizes)), 0
		for _, b := range blocks {
			sum, in, left := 0.0, make([]int, len(sizes)), float64(questions-from)
			for _, h := range subjects[from:b.end] {
				sum += b.weights[h]
				in[h]++
			}
			assert.Check(t, math.Abs(sum-float64(b.end-from)) <= 1e-6, "%d questions weigh %g", b.end-from, sum)
			for h, n := range in {
				part, want := b.weights[h]*float64(n)/sum, float64(sizes[h]-seen[h])/left
				assert.Check(t, math.Abs(part-want) <= 1e-9, "a subject's part is %g, and of what is left %g", part, want)
				seen[h] += n
			}
			from = b.end
		}
		if questions != 3471 || from != len(subjects) || most == 2000 && (len(blocks) < 15 || blocks[0].largest > 2.5) {
			t.Errorf("%d of each: %d blocks, %d of %d questions", most, len(blocks), from, len(subjects))
		}
	}
}

func TestATestOfAllQuestionsKnowsTheAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		up, down int
		margin   float64
		want     Verdict
	}{
		"worse by just the margin":        {0, 1, 0.05, Worse},
		"worse by less than the margin":   {1, 2, 0.051, NotWorse},
		"none of the questions differs":   {0, 0, 0.05, NotWorse},
		"all of them are worse":           {0, 20, 0.05, Worse},
		"better, which the last one says": {1, 0, 0.05, Better},
	} {
		bet := New([]int{20}, make([]int, 20), test.margin, 1e-9)
		var got Verdict
		for i := range 20 {
			d := 0
			if i >= 20-test.down {
				d = -1
			} else if i >= 20-test.down-test.up {
				d = 1
			}
			got = bet.Add(d)
			if notWorse, worse, better := bet.Evidence(); math.IsNaN(notWorse+worse+better) || got != "" && i < 10 {
				t.Errorf("%s: %q after %d questions: %g, %g, %g", name, got, i+1, notWorse, worse, better)
			}
		}
		assert.Check(t, got == test.want, "%s: %q, want %q", name, got, test.want)
	}
}

// All answers are the same, but for a fifth that failed.
func TestFailedQuestionsSpeakAgainstEveryDecision(t *testing.T) {
	for name, each := range map[string]struct {
		least, most int
		never       []Verdict
	}{
		"that are right there": {-1, 0, []Verdict{NotWorse, Better}},
		"that are wrong there": {0, 1, []Verdict{Worse}},
	} {
		bet := New([]int{1000}, make([]int, 1000), 0.05, 0.05)
		verdict := Verdict("")
		for i := 0; i < 1000 && verdict == ""; i++ {
			switch i % 5 {
			case 0:
				verdict = bet.AddBetween(each.least, each.most)
			default:
				verdict = bet.Add(0)
			}
		}
		assert.Check(t, !slices.Contains(each.never, verdict), "a fifth fails, %s: %s", name, verdict)
	}
}

// TestBlocksTakeFewQuestionsMore has MMLU-Pro's subjects, of which capitals wait for one question each, and weights differ.
func TestBlocksTakeFewQuestionsMore(t *testing.T) {
	source, set, all := rand.New(rand.NewPCG(3, 11)), population{}, 0
	for _, n := range []int{1351, 1299, 1132, 1101, 969, 924, 844, 818, 798, 789, 717, 499, 410, 381} {
		set, all = append(set, struct{ questions, up, down int }{n, n * 4 / 100, n * 4 / 100}), all+n
	}
	const margin, alpha, runs = 0.02, 0.05, 60
	without := Questions(all, 0.08, margin, alpha, runs)
	asked := 0
	for range runs {
		sizes, differences, subjects := set.drawn(source, func(n int) int { return n }, false)
		bet := New(sizes, subjects, margin, alpha)
		for _, d := range differences {
			asked++
			if bet.Add(d) != "" {
				break
			}
		}
	}
	with := float64(asked) / runs
	t.Logf("%.0f questions on average, %.0f without subjects", with, without.Or(0))
	assert.Check(t, with <= 1.15*without.Or(0), "%.0f questions on average, %.0f without subjects", with, without.Or(0))
}

func TestATestTakesFewerQuestionsThanAFixedNumberWhereMuchIsAsked(t *testing.T) {
	runs := 60
	if os.Getenv("LONG") != "" {
		runs = 1000
	}
	for _, test := range []struct {
		questions           int
		discordance, margin float64
		most                float64 // of the fixed number
	}{
		{12032, 0.08, 0.01, 0.67}, {12032, 0.20, 0.01, 0.47}, {12032, 0.08, 0.02, 1}, {12032, 0.02, 0.01, 1},
		{1400, 0.08, 0.02, 0.55}, {1400, 0.08, 0.03, 0.8},
	} {
		mean := Questions(test.questions, test.discordance, test.margin, 0.05, runs)
		fixed := 7.85 * test.discordance / test.margin / test.margin
		t.Logf("%d questions, %.0f %% differ, margin %.0f pp: %.0f on average, fixed %.0f, ratio %.2f", test.questions, 100*test.discordance,
			100*test.margin, mean.Or(0), fixed, mean.Or(0)/fixed)
		assert.Check(t, mean.Or(math.Inf(1)) <= test.most*fixed, "%+v: %v questions", test, mean)
	}
	if mean := Questions(100, 1.1, 0.01, 0.05, 3); mean.Defined() {
		t.Errorf("models that differ on more than all questions: %v", mean)
	}
}
