package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"proctor/scripts/tests/sharedtest"
)

// estimates are of every kind that has an interval.
func estimates(random *rand.Rand, confidence float64) map[string]Estimate {
	n, p := 2+random.IntN(80), random.Float64()
	k, scores := 0, make([]float64, n)
	var subjects [][]float64
	var questions []Confusion
	for i := range scores {
		if random.Float64() < p {
			k, scores[i] = k+1, 1
		}
		if i%7 == 0 {
			subjects = append(subjects, nil)
		}
		last := &subjects[len(subjects)-1]
		*last = append(*last, scores[i])
		c := Confusion{TruePositive: int(scores[i]), FalseNegative: 1 - int(scores[i]), TrueNegative: random.IntN(4)}
		c.FalsePositive = 3 - c.TrueNegative
		if p > 0.9 { // all alike
			c = Confusion{TruePositive: 1, TrueNegative: 3}
		}
		questions = append(questions, c)
	}
	return map[string]Estimate{
		"wilson": Proportion(k, n, confidence),
		"mean":   Mean(scores, confidence), "balanced": BalancedAccuracy(questions, confidence),
		"macro":  Macro(subjects, confidence),
		"totals": OfTotals([]Sample{Confusions(questions)}, OfF1, 0, 1, confidence),
	}
}

func TestNoIntervalContradictsItsP(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 5))
	for range sharedtest.Count(50, 400) {
		for _, confidence := range []float64{0.9, 0.95, 0.999} {
			for name, e := range estimates(random, confidence) {
				if e.Interval.IsZero() {
					continue
				}
				for _, null := range []float64{0.05, 0.11, 0.5, 0.93} {
					p, known := e.P(null).Get()
					if near := math.Abs(p-(1-confidence)) < 1e-9; !known || !near && e.Interval.Contains(null) != (p > 1-confidence) {
						t.Fatalf("%s: p of %g is %g (%v), interval %+v", name, null, p, known, e.Interval)
					}
				}
			}
		}
	}
	if p := (Estimate{}).P(0.5); p.Defined() {
		t.Error("nothing has a p")
	}
	far := value(t, "far away", Proportion(280, 280, 0.95).P(0.1)) // 0.1^280, and twice that by 1.4
	near(t, "far away", math.Log10(far), -280+math.Log10(2/1.4), 0.01)
}

func TestQuestionsToShowHaveTheirPower(t *testing.T) {
	const chance = 0.11
	for _, c := range []struct {
		right, n int
	}{{45, 300}, {12, 80}, {130, 1000}, {9, 40}} {
		e := Proportion(c.right, c.n, 0.95)
		n, ok := e.QuestionsToShow(c.n, chance, 0.95, 0.8)
		power := func(n int) float64 {
			sum, share := 0.0, float64(c.right)/float64(c.n)
			for k := range n + 1 {
				if Proportion(k, n, 0.95).Interval.Low > chance {
					sum += BinomialChance(k, n, share)
				}
			}
			return sum
		}
		if at, below := power(n), power(n-1); !ok || at < 0.8 || at > 0.86 || below >= 0.8 {
			t.Errorf("%d of %d: %d questions show it %.4f of the time, one fewer %.4f", c.right, c.n, n, at, below)
		}
	}
	if n, ok := Proportion(5, 50, 0.95).QuestionsToShow(50, chance, 0.95, 0.8); ok {
		t.Errorf("%d questions show a score below guessing to be above it", n)
	}
	effective := Estimate{Value: Of(chance + 1e-17 + 1e-16), test: share{chance, 1e4}.test()}
	if n, ok := effective.QuestionsToShow(50, chance, 0.95, 0.8); ok {
		t.Errorf("%d questions show what differs by rounding", n)
	}
	many, ok := Proportion(11_010, 100_000, 0.95).QuestionsToShow(100_000, chance, 0.95, 0.8)
	if want := 2.8015852 * 2.8015852 * chance * (1 - chance) / 1e-8; !ok || math.Abs(float64(many)/want-1) > 0.01 {
		t.Errorf("a tiny gap: %d questions, want about %.0f", many, want)
	}
	// A mean takes as many more questions as its effective size is smaller.
	halved := Estimate{Value: Of(0.15), test: share{0.15, 150}.test()}
	plain, _ := Proportion(45, 300, 0.95).QuestionsToShow(300, chance, 0.95, 0.8)
	if n, ok := halved.QuestionsToShow(300, chance, 0.95, 0.8); !ok || n != 2*plain {
		t.Errorf("half as many effective questions: %d, want %d", n, 2*plain)
	}
	mean := Estimate{Value: Of(0.6), SE: Of(0.1), test: boundsTest(nil)}
	if n, ok := mean.QuestionsToShow(30, 0.5, 0.95, 0.8); !ok || n != 236 { // 30·2.8016²
		t.Errorf("by a standard error: %d", n)
	}
}
