package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestUnlikeCountsThePairs(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 17))
	for range 200 {
		answers := make([]int, 2+random.IntN(7))
		counts := make([]int, 4)
		for i := range answers {
			answers[i] = random.IntN(len(counts))
			counts[answers[i]]++
		}
		unlike, pairs := 0, 0
		for i := range answers {
			for j := range i {
				pairs++
				if answers[i] != answers[j] {
					unlike++
				}
			}
		}
		near(t, "unlike pairs", value(t, "unlike", Unlike(counts)), float64(unlike)/float64(pairs), 1e-15)
	}
	if Unlike([]int{1}).Defined() || Unlike(nil).Defined() {
		t.Error("one repeat has no pair")
	}
}

func TestBinomialChancesAddUpToTheirTail(t *testing.T) {
	for _, p := range []float64{0, 0.1, 0.5, 1} {
		sum := 0.0
		for k := 12; k >= 0; k-- {
			sum += BinomialChance(k, 12, p)
			if k > 0 {
				near(t, fmt.Sprintf("at least %d of 12 at %g", k, p), sum, value(t, "tail", BinomialTail(k, 12, p)), 1e-12)
			}
		}
		near(t, "all", sum, 1, 1e-12)
	}
	if BinomialChance(-1, 3, 0.5) != 0 || BinomialChance(4, 3, 0.5) != 0 {
		t.Error("counts that cannot be have a chance")
	}
}
