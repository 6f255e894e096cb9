package guess_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
)

// question is one asked in the patterns, whose gold option is given by its place in the original order.
func question(gold int, patterns ...string) results.View {
	var v results.View
	for _, pattern := range patterns {
		v.Items = append(v.Items, &results.Item{
			Record: journal.Record{Variant: pattern, Options: len(pattern), Gold: pattern[gold : gold+1]}, Marks: make([]grade.Mark, 1),
		})
	}
	return v
}

// simulated are the shares of tries in which each of the three guessers does what holds says.
func simulated(v results.View, random *rand.Rand, holds func(right, most int) bool) (shares [3]float64) {
	const tries = 20_000
	n := v.Items[0].Options
	for range tries {
		content, letter := random.IntN(n), random.IntN(n)
		for guesser := range shares {
			right, votes := 0, make([]int, n)
			for _, it := range v.Items {
				said := string(rune('A' + random.IntN(n)))
				switch guesser {
				case 1:
					said = it.Variant[content : content+1]
				case 2:
					said = string(rune('A' + letter))
				}
				votes[guess.ContentAt(it.Variant, said)]++
				if said == it.Gold {
					right++
				}
			}
			if holds(right, slices.Max(votes)) {
				shares[guesser] += 1.0 / tries
			}
		}
	}
	return shares
}

func TestGuessersScoreWhatTheirSimulationDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 14))
	for name, v := range map[string]results.View{
		"three rotations":           question(1, "ABC", "BCA", "CAB"),
		"four rotations":            question(3, "ABCD", "BCDA", "CDAB", "DABC"),
		"all orders of three":       question(0, "ABC", "ACB", "BAC", "BCA", "CAB", "CBA"),
		"a sample of the orders":    question(2, "ABCDE", "CABDE", "ABCED", "EDCBA"),
		"orders that keep a letter": question(0, "ABCD", "ABDC", "ACBD"),
		"the original order alone":  question(1, "ABCD"),
	} {
		q, n := guess.Of(v), len(v.Items)
		figures := map[string]struct {
			chances guess.Chances
			holds   func(right, most int) bool
		}{
			"all right":  {q.AllRight(), func(right, _ int) bool { return right == n }},
			"consistent": {q.Consistent(), func(_, most int) bool { return most == n }},
		}
		for k := 1; k <= n+1; k++ {
			figures[fmt.Sprintf("at least %d", k)] = struct {
				chances guess.Chances
				holds   func(right, most int) bool
			}{q.AtLeast(k), func(right, _ int) bool { return right >= k }}
		}
		for figure, f := range figures {
			for guesser, share := range simulated(v, random, f.holds) {
				p := f.chances[guesser]
				slack := 4.5*math.Sqrt(p*(1-p)/20_000) + 1e-9
				assert.Check(t, math.Abs(p-share) <= slack, "%s, %s, guesser %d: %.4f, simulated %.4f", name, figure, guesser, p, share)
			}
		}
		original, all, lost := 1/float64(v.Items[0].Options), q.AllRight(), q.LostLater()
		for i := range lost {
			assert.Check(t, math.Abs(lost[i]-(original-all[i])) <= 1e-12, "%s: lost later %g", name, lost[i])
		}
	}
}

func TestTheMeanOfNoQuestionIsUndefined(t *testing.T) {
	none := guess.Mean(nil)
	assert.Check(t, none.IsZero(), "of nothing: %+v", none)
}
