package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// estimates are of every kind that has an interval.
func estimates(random *rand.Rand, confidence float64) map[string]Estimate {
	n, p := 2+random.IntN(80), random.Float64()
	k, scores := 0, make([]float64, n)
	var strata []Stratum
	var questions []Confusion
	for i := range scores {
		if random.Float64() < p {
			k, scores[i] = k+1, 1
		}
		if i%7 == 0 {
			strata = append(strata, Stratum{Population: 50 + random.IntN(500)})
		}
		last := &strata[len(strata)-1]
		last.Scores = append(last.Scores, scores[i])
		c := Confusion{TruePositive: int(scores[i]), FalseNegative: 1 - int(scores[i]), TrueNegative: random.IntN(4)}
		c.FalsePositive = 3 - c.TrueNegative
		if p > 0.9 { // all alike
			c = Confusion{TruePositive: 1, TrueNegative: 3}
		}
		questions = append(questions, c)
	}
	return map[string]Estimate{
		"wilson": Proportion(k, n, confidence),
		"mean":   Mean(scores, confidence), "balanced": balancedOf(questions, confidence),
		"like these": Stratified(strata, LikeThese, confidence), "this set": Stratified(strata, ThisSet, confidence),
		"macro":  Macro(strata, confidence),
		"totals": OfTotals([]Sample{{Questions: Confusions(questions)}}, LikeThese, OfF1, 0, 1, confidence),
	}
}

func TestNoIntervalContradictsItsP(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 5))
	for range 400 {
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
		right, asked int
	}{{45, 300}, {12, 80}, {130, 1000}, {9, 40}} {
		e := Proportion(c.right, c.asked, 0.95)
		n, ok := e.QuestionsToShow(c.asked, chance, 0.95, 0.8)
		power := func(n int) float64 {
			sum, share := 0.0, float64(c.right)/float64(c.asked)
			for k := range n + 1 {
				if Proportion(k, n, 0.95).Interval.Low > chance {
					sum += BinomialChance(k, n, share)
				}
			}
			return sum
		}
		if at, below := power(n), power(n-1); !ok || at < 0.8 || at > 0.86 || below >= 0.8 {
			t.Errorf("%d of %d: %d questions show it %.4f of the time, one fewer %.4f", c.right, c.asked, n, at, below)
		}
	}
	if n, ok := Proportion(5, 50, 0.95).QuestionsToShow(50, chance, 0.95, 0.8); ok {
		t.Errorf("%d questions show a score below guessing to be above it", n)
	}
	many, ok := Proportion(11_010, 100_000, 0.95).QuestionsToShow(100_000, chance, 0.95, 0.8)
	if want := 2.8015852 * 2.8015852 * chance * (1 - chance) / 1e-8; !ok || math.Abs(float64(many)/want-1) > 0.01 {
		t.Errorf("a tiny gap: %d questions, want about %.0f", many, want)
	}
	// A weighted score takes as many more questions as its effective size is smaller.
	weighted := Estimate{Value: Of(0.15), test: share{0.15, 150}.test()}
	plain, _ := Proportion(45, 300, 0.95).QuestionsToShow(300, chance, 0.95, 0.8)
	if n, ok := weighted.QuestionsToShow(300, chance, 0.95, 0.8); !ok || n != 2*plain {
		t.Errorf("half as many effective questions: %d, want %d", n, 2*plain)
	}
	mean := Estimate{Value: Of(0.6), SE: Of(0.1), test: boundsTest(nil)}
	if n, ok := mean.QuestionsToShow(30, 0.5, 0.95, 0.8); !ok || n != 236 { // 30·2.8016²
		t.Errorf("by a standard error: %d", n)
	}
}

// TestGuessersAreSeldomShownToBeMore has runs that guess called better or worse than guessing 5.5 % of the time at most, where
// the draw is even over subjects and where it is not.
func TestGuessersAreSeldomShownToBeMore(t *testing.T) {
	draws, slack, each := 600, 4.0, []int{5, 30}
	if os.Getenv("LONG") != "" {
		draws, slack, each = 10_000, 2, []int{2, 5, 12, 30, 100}
	}
	random := rand.New(rand.NewPCG(36, 6))
	for _, n := range each {
		options := [2]float64{0.1, 0.25} // chances in the subjects, in turn
		better, worse := map[string]int{}, map[string]int{}
		for range draws {
			strata, right, chance, weights, plain := make([]Stratum, 14), 0, 0.0, 0.0, 0.0
			for h := range strata {
				p := options[map[bool]int{true: 1}[h%5 == 0]]
				strata[h] = Stratum{Population: sizes[h], Scores: make([]float64, n)}
				for i := range n {
					if random.Float64() < p {
						strata[h].Scores[i], right = 1, right+1
					}
				}
				chance, weights, plain = chance+p*float64(sizes[h]), weights+float64(sizes[h]), plain+p/14
			}
			for name, e := range map[string]struct {
				e    Estimate
				null float64
			}{
				"weighted": {Stratified(strata, LikeThese, 0.95), chance / weights}, "plain": {Proportion(right, 14*n, 0.95), plain},
			} {
				switch {
				case e.e.Interval.Low > e.null:
					better[name]++
				case e.e.Interval.High < e.null:
					worse[name]++
				}
			}
		}
		for _, name := range []string{"weighted", "plain"} {
			b, w := float64(better[name])/float64(draws), float64(worse[name])/float64(draws)
			x := fmt.Sprintf("%d of each subject, %s: better %.4f, worse %.4f", n, name, b, w)
			if b+w > 0.055+slack*math.Sqrt(0.05/float64(draws)) {
				t.Error(x)
			} else {
				t.Log(x)
			}
		}
	}
}
