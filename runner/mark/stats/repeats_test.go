package stats

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
)

func TestPassAtKCountsTheSubsets(t *testing.T) {
	const n = 9
	for c := 0; c <= n; c++ {
		for k := 1; k <= n; k++ {
			hit, total := 0, 0
			for mask := range 1 << n { // the first c completions are the right ones
				if bits.OnesCount(uint(mask)) != k {
					continue
				}
				total++
				if mask&(1<<c-1) != 0 {
					hit++
				}
			}
			near(t, "pass@k", value(t, "pass@k", PassAtK(n, c, k)), float64(hit)/float64(total), 1e-14)
		}
	}
	for _, bad := range [][3]int{{5, 2, 0}, {5, 2, -1}, {5, 2, 6}, {5, -1, 1}, {5, 6, 1}, {0, 0, 1}} {
		if PassAtK(bad[0], bad[1], bad[2]).Defined() {
			t.Errorf("pass@%d of %d with %d right is defined", bad[2], bad[0], bad[1])
		}
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
