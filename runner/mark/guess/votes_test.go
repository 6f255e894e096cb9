package guess

import (
	"fmt"
	"math"
	"testing"

	"proctor/runner/mark/stats"
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
			if got, want := votedAnew(candidates, votes).Or(-1), enumerated(candidates, votes); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %g, want %g", name, got, want)
			}
		}
	}
	for name, n := range map[string]stats.Number{"no candidates": votedAnew(0, 3), "no votes": votedAnew(3, 0),
		"more votes than are worked out": votedAnew(3, mostVotes+1)} {
		if n.Defined() {
			t.Errorf("%s: defined", name)
		}
	}
	if x := votedAnew(4, mostVotes).Or(0); x < 0.2 || x > 0.25 { // ties are rarer than with few votes
		t.Errorf("%d votes: %g", mostVotes, x)
	}
}
