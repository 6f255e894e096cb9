package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"proctor/runner/journal/journaltest"
)

// TestGuessingIsJudgedByTheIntervalBesideIt has models from worse than guessing to better:
// the verdict, p, the interval and the number of questions that would show more are of one figure.
func TestGuessingIsJudgedByTheIntervalBesideIt(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 9))
	needed, worse := 0, 0
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
		if b.Needed > 0 {
			needed++
		}
		if ci.High < chance {
			worse++
		}
	}
	if needed < 5 || worse < 5 {
		t.Errorf("%d not shown yet, %d worse: too few to test with", needed, worse)
	}
}
