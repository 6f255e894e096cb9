package stats

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

func numbers(xs ...float64) []Number {
	ns := make([]Number, len(xs))
	for i, x := range xs {
		ns[i] = Of(x)
	}
	return ns
}

func compareNumbers(t *testing.T, got, want []Number) {
	t.Helper()
	assert.Assert(t, len(got) == len(want), "got %d numbers, want %d", len(got), len(want))
	for i := range want {
		if got[i].Defined() != want[i].Defined() {
			t.Errorf("number %d: defined %v, want %v", i, got[i].Defined(), want[i].Defined())
			continue
		}
		near(t, "adjusted", got[i].Or(0), want[i].Or(0), 1e-12)
	}
}

// heart are the p-values of Benjamini and Hochberg 1995, §4.1.
var heart = numbers(.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240, .4262, .5719, .6528, .7590, 1)

func TestHolm(t *testing.T) {
	compareNumbers(t, Holm(numbers(0.01, 0.04, 0.03, 0.005)), numbers(0.03, 0.06, 0.06, 0.02))
	compareNumbers(t, Holm([]Number{Of(0.02), Undefined, Of(0.03)}), []Number{Of(0.04), Undefined, Of(0.04)})
	compareNumbers(t, Holm(numbers(0.6, 0.7)), numbers(1, 1))
	compareNumbers(t, Holm(nil), nil)
}

func TestBonferroni(t *testing.T) {
	compareNumbers(t, Bonferroni(numbers(0.01, 0.04, 0.5)), numbers(0.03, 0.12, 1))
	compareNumbers(t, Bonferroni([]Number{Of(0.02), Undefined, Of(0.01)}), []Number{Of(0.04), Undefined, Of(0.02)})
}

// as the paper finds for Bonferroni's and Hochberg's procedures
func TestThreeOfThePublishedFifteenAreRejected(t *testing.T) {
	for name, adjusted := range map[string][]Number{"Holm": Holm(heart), "Bonferroni": Bonferroni(heart)} {
		kept := slices.DeleteFunc(adjusted, func(p Number) bool { return p.Or(1) <= 0.05 })
		assert.Check(t, len(kept) == 12, "%s rejects %d", name, 15-len(kept))
	}
}

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
	assert.Check(t, !Unlike([]int{1}).Defined() && !Unlike(nil).Defined(), "one repeat has no pair")
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
	assert.Check(t, BinomialChance(-1, 3, 0.5) == 0 && BinomialChance(4, 3, 0.5) == 0, "counts that cannot be have a chance")
}
