package stats

import (
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
	for _, bad := range [][3]int{{5, 2, 0}, {5, 2, 6}, {5, -1, 1}, {5, 6, 1}, {0, 0, 1}} {
		if PassAtK(bad[0], bad[1], bad[2]).Defined() {
			t.Errorf("pass@%d of %d with %d right is defined", bad[2], bad[0], bad[1])
		}
	}
}

func TestRepeatsSeparateTheTwoVariances(t *testing.T) {
	// Chances are 0.2 or 0.8: between variance 0.09, within variance 0.16.
	random := rand.New(rand.NewPCG(16, 16))
	questions := make([]Cluster, 6000)
	for i := range questions {
		chance := 0.2 + 0.6*float64(random.IntN(2))
		questions[i].Items = 4 + i%2
		for range questions[i].Items {
			if random.Float64() < chance {
				questions[i].Successes++
			}
		}
	}
	got := Repeats(questions, 0.95)
	near(t, "within", value(t, "within", got.Within), 0.16, 0.004)
	near(t, "between", value(t, "between", got.Between), 0.09, 0.005)
	if !got.Mean.Interval.Contains(0.5) {
		t.Errorf("mean %+v", got.Mean)
	}
}

func TestDrawsThatThereAreNot(t *testing.T) {
	for _, of := range []func(n, c, k int) Number{PassAtK, PassAllK} {
		for _, bad := range [][3]int{{3, -1, 1}, {3, 4, 1}, {3, 1, 0}, {3, 1, 4}, {3, 1, -1}} {
			if x := of(bad[0], bad[1], bad[2]); x.Defined() {
				t.Errorf("%v: %v", bad, x)
			}
		}
		if !of(3, 0, 3).Defined() || !of(3, 3, 1).Defined() || !of(1, 1, 1).Defined() {
			t.Error("what is at the bounds is undefined")
		}
	}
}

func TestRepeatsOfNothingMuch(t *testing.T) {
	if got := Repeats([]Cluster{{}, {}}, 0.95); got.Mean.Value.Defined() || got.Within.Defined() || got.Between.Defined() {
		t.Errorf("no repeats: %+v", got)
	}
	once := Repeats([]Cluster{{1, 1}, {0, 1}}, 0.95)
	if once.Within.Defined() || once.Between.Defined() || once.Mean.Value.Or(9) != 0.5 {
		t.Errorf("one repeat each: %+v", once)
	}
	same := Repeats([]Cluster{{3, 3}, {0, 3}}, 0.95) // a deterministic model
	near(t, "within", value(t, "within", same.Within), 0, 0)
	near(t, "between", value(t, "between", same.Between), 0.5, 1e-15)
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

// draws lists all ways to draw k of n answers.
func draws(n, k int, each func(drawn []int)) {
	for set := range 1 << n {
		var drawn []int
		for i := range n {
			if set>>i&1 == 1 {
				drawn = append(drawn, i)
			}
		}
		if len(drawn) == k {
			each(drawn)
		}
	}
}

func TestPassAllAndVotesOfKAgreeWithEnumeration(t *testing.T) {
	for _, answers := range []string{"AAAB", "AABBC", "AAABBB--", "ABCD", "BBBB", "AAAAAAA", "A-", "AAABBCC-", "B-AACCDDA"} {
		counts := map[rune]int{}
		for _, letter := range answers {
			counts[letter]++
		}
		var rivals []int
		for letter, n := range counts {
			if letter != 'A' && letter != '-' {
				rivals = append(rivals, n)
			}
		}
		for k := 1; k <= len(answers); k++ {
			ways, all, won := 0.0, 0.0, 0.0
			draws(len(answers), k, func(drawn []int) {
				ways++
				votes := map[byte]int{}
				for _, i := range drawn {
					votes[answers[i]]++
				}
				if votes['A'] == k {
					all++
				}
				lead := votes['A'] > 0
				for letter, n := range votes {
					lead = lead && (letter == 'A' || letter == '-' || n < votes['A'])
				}
				if lead {
					won++
				}
			})
			near(t, answers+": pass^k", value(t, "pass^k", PassAllK(len(answers), counts['A'], k)), all/ways, 1e-12)
			near(t, answers+": vote@k", value(t, "vote@k", VoteAtK(counts['A'], rivals, counts['-'], k)), won/ways, 1e-12)
		}
	}
	for name, n := range map[string]Number{"none of them": PassAllK(4, 2, 0), "more than there are": PassAllK(4, 2, 5),
		"more right than asked": PassAllK(4, 5, 2), "no vote": VoteAtK(2, []int{1}, 0, 0), "too many votes": VoteAtK(2, []int{1}, 0, 4)} {
		if n.Defined() {
			t.Errorf("%s: defined", name)
		}
	}
}
