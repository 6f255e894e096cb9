package stats

import (
	"fmt"
	"testing"
)

// enumerated is the chance that candidate 0 leads alone, over all ways in which the votes can fall.
func enumerated(candidates, votes int) float64 {
	ways, wins := 1, 0
	for range votes {
		ways *= candidates
	}
	for way := range ways {
		counts := make([]int, candidates)
		for rest, v := way, 0; v < votes; v++ {
			counts[rest%candidates]++
			rest /= candidates
		}
		runnerUp := 0
		for _, n := range counts[1:] {
			runnerUp = max(runnerUp, n)
		}
		if counts[0] > runnerUp {
			wins++
		}
	}
	return float64(wins) / float64(ways)
}

func TestVotesByChanceAgreeWithEnumeration(t *testing.T) {
	for candidates := 1; candidates <= 5; candidates++ {
		for votes := 1; votes <= 7; votes++ {
			name := fmt.Sprintf("%d votes on %d candidates", votes, candidates)
			near(t, name, value(t, name, VoteByChance(candidates, votes)), enumerated(candidates, votes), 1e-12)
		}
	}
	for name, n := range map[string]Number{"no candidates": VoteByChance(0, 3), "no votes": VoteByChance(3, 0),
		"more votes than are worked out": VoteByChance(3, mostVotes+1)} {
		if n.Defined() {
			t.Errorf("%s: defined", name)
		}
	}
	if x := VoteByChance(4, mostVotes).Or(0); x < 0.2 || x > 0.25 { // ties are rarer than with few votes
		t.Errorf("%d votes: %g", mostVotes, x)
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
