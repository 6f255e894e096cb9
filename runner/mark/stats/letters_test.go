package stats

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

func TestLetterBiasByHand(t *testing.T) {
	// Three options, gold is always the last: of 20 wrong answers 15 are the first letter. d = (5, −5, 0), V = 20 · ¼ · (1, −1; −1, 1),
	// whose only eigenvalue is 10 along (1, −1)/√2, so the statistic is 50/10 with one degree of freedom.
	var picks []WrongPick
	for i := range 20 {
		picks = append(picks, WrongPick{Picked: min(i/15, 1), Gold: 2, Options: 3})
	}
	got := LetterBias(picks)
	near(t, "statistic", value(t, "statistic", got.Statistic), 5, 1e-12)
	near(t, "p", value(t, "p", got.P), math.Erfc(math.Sqrt(2.5)), 1e-12)
	if got.DF != 1 {
		t.Errorf("%d degrees of freedom, want 1", got.DF)
	}
}

func TestLetterBiasOfNothing(t *testing.T) {
	for name, picks := range map[string][]WrongPick{
		"no wrong answers":            nil,
		"no choice of a wrong answer": {{Picked: 0, Gold: 1, Options: 2}, {Picked: 1, Gold: 0, Options: 2}},
	} {
		if got := LetterBias(picks); got.Statistic.Defined() || got.P.Defined() || got.DF != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestLetterBiasKeepsItsSize asks models without a preference, from a guesser to one that knows nearly all, where gold letters are
// spread evenly and where most are A. A test against gold counts rejects a guesser in half of all draws.
func TestLetterBiasKeepsItsSize(t *testing.T) {
	draws := 1500
	switch {
	case testing.Short():
		draws = 400
	case os.Getenv("LONG") != "":
		draws = 10_000
	}
	random := rand.New(rand.NewPCG(13, 13))
	for _, accuracy := range []float64{0.1, 0.4, 0.6, 0.9} {
		for _, mostlyA := range []float64{0, 0.5} {
			rejected := 0
			for range draws {
				var picks []WrongPick
				for range 280 {
					n := 3 + random.IntN(8)
					gold := random.IntN(n)
					if random.Float64() < mostlyA {
						gold = 0
					}
					if random.Float64() >= accuracy {
						picks = append(picks, WrongPick{Picked: (gold + 1 + random.IntN(n-1)) % n, Gold: gold, Options: n})
					}
				}
				if LetterBias(picks).P.Or(1) <= 0.05 {
					rejected++
				}
			}
			size := float64(rejected) / float64(draws)
			t.Logf("accuracy %g, gold A in another %g: rejects %.2f %%", accuracy, mostlyA, 100*size)
			if limit := 0.05 + 3*math.Sqrt(0.05*0.95/float64(draws)); size > limit || size < 0.02 {
				t.Errorf("accuracy %.0f %%, gold A in another %.0f %%: rejects %.2f %%, want about 5", 100*accuracy, 100*mostlyA, 100*size)
			}
		}
	}
}

func TestLetterBiasFindsAPreference(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	found := 0
	for range 200 {
		var picks []WrongPick
		for range 168 {
			gold, picked := random.IntN(10), random.IntN(10)
			if random.Float64() < 0.25 {
				picked = 0
			}
			if picked != gold {
				picks = append(picks, WrongPick{Picked: picked, Gold: gold, Options: 10})
			}
		}
		if LetterBias(picks).P.Or(1) <= 0.05 {
			found++
		}
	}
	if found < 190 {
		t.Errorf("a quarter of the answers are always A, found in %d of 200 runs", found)
	}
}
