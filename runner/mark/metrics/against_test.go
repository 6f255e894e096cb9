package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/draw"
)

// TestGuessingIsJudgedByTheIntervalBesideIt has draws with weights and without, of models from worse than guessing to better:
// the verdict, p, the interval and the number of questions that would show more are of one figure.
func TestGuessingIsJudgedByTheIntervalBesideIt(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 9))
	weighted, needed, worse := 0, 0, 0
	for i := range 120 {
		skill := random.Float64() * 0.4
		h, records := journaltest.MCQ(20+random.IntN(60), func(_, options int, gold string) journaltest.Answer {
			if random.Float64() < skill {
				return journaltest.Answer{Letter: gold}
			}
			return journaltest.Answer{Letter: journaltest.Letter(random.IntN(options))}
		})
		if i%8 == 0 { // never right
			for j := range records {
				records[j].Text = "i can't say"
			}
		}
		if i%2 == 0 {
			h.Selection.Population = map[string]int{}
			for _, r := range records {
				h.Selection.Population[r.Subject] = 60 + random.IntN(900)
			}
		}
		r := mustBuild(t, h, records, Options{})
		b, ci, chance := r.Baseline, r.Headline.CI, r.Headline.Baseline.Or(9)
		p := b.PValue.Or(9)
		what := fmt.Sprintf("run %d: %+v, %+v", i, r.Headline, b)
		if *b.Better != (ci.Low > chance) || math.Abs(p-0.05) > 1e-9 && (p < 0.05) == ci.Contains(chance) {
			t.Error(what)
		}
		gap := r.Headline.Value.Or(0) - chance
		if b.Needed > 0 && (*b.Better || !(gap > 0)) || b.Needed == 0 && !*b.Better && gap > 0.01 {
			t.Error(what)
		}
		if r.Headline.Population != LikeThese {
			t.Error(what)
		}
		if r.Headline.Covers == draw.WholeSet {
			weighted++
		}
		if b.Needed > 0 {
			needed++
		}
		if ci.High < chance {
			worse++
		}
	}
	if weighted < 20 || needed < 5 || worse < 5 {
		t.Errorf("%d weighted, %d not shown yet, %d worse: too few to test with", weighted, needed, worse)
	}
}
