package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLetterBiasByHand(t *testing.T) {
	// expected 15, 10, 5; (20−15)²/15 + (6−10)²/10 + (4−5)²/5 = 1.6667 + 1.6 + 0.2; P(χ²₂ ≥ x) = e^(−x/2)
	got := LetterBias([]int{20, 6, 4}, []int{30, 20, 10})
	near(t, "statistic", value(t, "statistic", got.Statistic), 52.0/15, 1e-13)
	near(t, "p", value(t, "p", got.P), math.Exp(-26.0/15), 1e-12)
	if got.DF != 2 || len(got.Warnings) != 0 {
		t.Errorf("%d degrees of freedom, warnings %q", got.DF, got.Warnings)
	}
}

func TestLetterBiasLeavesOutWhatIsNeverGold(t *testing.T) {
	got := LetterBias([]int{10, 10, 5, 0}, []int{10, 10, 0, 0})
	near(t, "statistic", value(t, "statistic", got.Statistic), 0, 0)
	if got.DF != 1 || len(got.Warnings) != 1 {
		t.Errorf("%d degrees of freedom, warnings %q; want 1 and a word about the five", got.DF, got.Warnings)
	}
	if thin := LetterBias([]int{3, 1}, []int{1, 3}); len(thin.Warnings) != 1 {
		t.Errorf("warnings %q, want one about small counts", thin.Warnings)
	}
	for name, got := range map[string]ChiSquare{"nothing": LetterBias(nil, nil), "one letter": LetterBias([]int{4, 0}, []int{4, 0}),
		"no answers": LetterBias([]int{0, 0}, []int{4, 5})} {
		if got.Statistic.Defined() || got.P.Defined() || got.DF != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestLetterBiasKeepsItsSizeWhenPicksFollowGold(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 13))
	gold := []int{400, 300, 200, 100}
	const draws = 2000
	rejected := 0
	for range draws {
		picked := make([]int, 4)
		for range 300 {
			switch u := random.IntN(1000); {
			case u < 400:
				picked[0]++
			case u < 700:
				picked[1]++
			case u < 900:
				picked[2]++
			default:
				picked[3]++
			}
		}
		if LetterBias(picked, gold).P.Or(1) <= 0.05 {
			rejected++
		}
	}
	near(t, "size", float64(rejected)/draws, 0.05, 0.015)
}
