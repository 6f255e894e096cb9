package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// A population is what models do on a set: how many questions of each subject one of them alone gets right, or the other one.
type population []struct{ questions, up, down int }

// differences are those of all questions, subject by subject.
func (p population) differences() (all []int, subject []int) {
	for s, each := range p {
		for i := range each.questions {
			d := 0
			if i < each.up {
				d = 1
			} else if i < each.up+each.down {
				d = -1
			}
			all, subject = append(all, d), append(subject, s)
		}
	}
	return all, subject
}

// drawn orders the differences by chance, or so that every part of the order holds all subjects in proportion.
func (p population) drawn(source *rand.Rand, proportional bool) []int {
	all, subject := p.differences()
	order := source.Perm(len(all))
	if !proportional {
		for i, at := range slices.Clone(order) {
			order[i] = all[at]
		}
		return order
	}
	place, rank := make([]float64, len(all)), make([]int, len(p))
	for _, at := range order {
		s := subject[at]
		place[at] = (float64(rank[s]) + source.Float64()) / float64(p[s].questions)
		rank[s]++
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	for i, at := range order {
		order[i] = all[at]
	}
	return order
}

func TestPairedTestsRarelyDecideWrongly(t *testing.T) {
	rounds := 2000
	if os.Getenv("LONG") != "" {
		rounds = 10_000
	}
	const margin, alpha = 0.05, 0.05
	for name, test := range map[string]struct {
		population
		wrong []PairedVerdict
	}{
		"equal, few differ":        {population{{400, 8, 8}}, []PairedVerdict{ShownWorse, ShownBetter}},
		"equal, many differ":       {population{{400, 100, 100}}, []PairedVerdict{ShownWorse, ShownBetter}},
		"equal, subjects are not":  {population{{200, 60, 0}, {200, 0, 60}}, []PairedVerdict{ShownWorse, ShownBetter}},
		"at the margin, few":       {population{{400, 0, 20}}, []PairedVerdict{ShownNotWorse, ShownBetter}},
		"at the margin, many":      {population{{400, 60, 80}}, []PairedVerdict{ShownNotWorse, ShownBetter}},
		"at the margin, by a part": {population{{40, 0, 40}, {360, 20, 0}}, []PairedVerdict{ShownNotWorse, ShownBetter}},
		"worse by more":            {population{{400, 40, 70}}, []PairedVerdict{ShownNotWorse, ShownBetter}},
		"a little better":          {population{{400, 42, 40}}, []PairedVerdict{ShownWorse}},
	} {
		for _, proportional := range []bool{false, true} {
			source := rand.New(rand.NewPCG(3, 9))
			wrong, asked := 0, 0
			for range rounds {
				order := test.drawn(source, proportional)
				bet := NewPairedTest(len(order), margin, alpha)
				for _, d := range order {
					asked++
					if verdict := bet.Add(d); verdict != "" {
						if slices.Contains(test.wrong, verdict) {
							wrong++
						}
						break
					}
				}
			}
			share := float64(wrong) / float64(rounds)
			t.Logf("%s, in proportion %v: %.4f wrong, after %.0f of 400 questions", name, proportional, share,
				float64(asked)/float64(rounds))
			if share > alpha {
				t.Errorf("%s, in proportion %v: %.4f of the decisions are wrong", name, proportional, share)
			}
		}
	}
}

func TestAPairedTestOfAllQuestionsKnowsTheAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		up, down int
		margin   float64
		want     PairedVerdict
	}{
		"worse by just the margin":        {0, 1, 0.05, ShownWorse},
		"worse by less than the margin":   {1, 2, 0.051, ShownNotWorse},
		"none of the questions differs":   {0, 0, 0.05, ShownNotWorse},
		"all of them are worse":           {0, 20, 0.05, ShownWorse},
		"better, which the last one says": {1, 0, 0.05, ShownBetter},
	} {
		bet := NewPairedTest(20, test.margin, 1e-9)
		var got PairedVerdict
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
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// All answers are the same, but for a fifth that failed.
func TestFailedQuestionsSpeakAgainstEveryDecision(t *testing.T) {
	for name, each := range map[string]struct {
		least, most int
		never       []PairedVerdict
	}{
		"that are right there": {-1, 0, []PairedVerdict{ShownNotWorse, ShownBetter}},
		"that are wrong there": {0, 1, []PairedVerdict{ShownWorse}},
	} {
		bet := NewPairedTest(1000, 0.05, 0.05)
		verdict := PairedVerdict("")
		for i := 0; i < 1000 && verdict == ""; i++ {
			switch i % 5 {
			case 0:
				verdict = bet.AddBetween(each.least, each.most)
			default:
				verdict = bet.Add(0)
			}
		}
		if slices.Contains(each.never, verdict) {
			t.Errorf("a fifth fails, %s: %s", name, verdict)
		}
	}
}

func TestAPairedTestTakesFewerQuestionsThanAFixedNumberWhereMuchIsAsked(t *testing.T) {
	runs := 60
	if os.Getenv("LONG") != "" {
		runs = 1000
	}
	for _, test := range []struct {
		questions                       int
		difference, discordance, margin float64
		most                            float64 // of the fixed number
	}{
		{12032, 0, 0.08, 0.01, 0.85}, {12032, 0, 0.20, 0.01, 0.6}, {12032, 0, 0.08, 0.02, 1.25}, {12032, 0, 0.02, 0.01, 1.3},
		{12032, 0.01, 0.08, 0.01, 0.4}, {12032, -0.03, 0.08, 0.01, 0.25}, {1400, 0, 0.08, 0.02, 0.7}, {1400, 0, 0.08, 0.03, 1},
	} {
		mean, decided := QuestionsUntilDecided(test.questions, test.difference, test.discordance, test.margin, 0.05, runs)
		fixed := 6.18 * test.discordance / test.margin / test.margin
		t.Logf("%d questions, %+.0f pp, %.0f %% differ, margin %.0f pp: %.0f on average, fixed %.0f, ratio %.2f", test.questions,
			100*test.difference, 100*test.discordance, 100*test.margin, mean.Or(0), fixed, mean.Or(0)/fixed)
		if mean.Or(math.Inf(1)) > test.most*fixed || decided.Or(0) < 0.95 {
			t.Errorf("%+v: %v questions, %v decided", test, mean, decided)
		}
	}
	if mean, _ := QuestionsUntilDecided(100, 0.2, 0.1, 0.01, 0.05, 3); mean.Defined() {
		t.Errorf("models that differ by more than they differ: %v", mean)
	}
}
