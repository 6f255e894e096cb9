package main

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/logits"
	"proctor/runner/journal"
)

// sampledRun asks for a letter at once, which the control model draws.
var sampledRun = []string{"run", "--quiet", "--style", "testdata/letter.style", "--shots", "1", "--temperature", "1",
	"--seed", "1"}

// TestItemsAreDrawnIndependently holds the scores of 200 repeats against those of items whose random numbers have
// nothing to do with each other. With one stream of numbers for all, the items of a repeat are right and wrong
// together, and its score varies 3 times as much.
func TestItemsAreDrawnIndependently(t *testing.T) {
	const repeats = 200
	folder := filepath.Join(t.TempDir(), "run")
	run(t, slices.Concat(sampledRun, []string{"--subjects", "law,math", "--max-tokens", "1", "--repeats", "200", "--out",
		folder})...)
	scores, right := [repeats]float64{}, map[int]float64{} // of each repeat; of each question
	for _, r := range loaded(t, folder).Records {
		if strings.TrimSpace(r.Text) == r.Gold {
			scores[max(1, r.Repeat)-1]++
			right[r.QuestionID]++
		}
	}
	independent := 0.0
	for _, n := range right {
		p := n / repeats
		independent += p * (1 - p)
	}
	mean, variance := 0.0, 0.0
	for _, score := range scores {
		mean += score / repeats
	}
	for _, score := range scores {
		variance += (score - mean) * (score - mean) / (repeats - 1)
	}
	assert.Check(t, independent > 1, "the model draws too little: %v", right)
	assert.Check(t, variance > 0.8*independent && variance < 1.25*independent, "variance %.3f, %.3f if independent",
		variance, independent)
}

// TestTheRandomNumbersOfTwoItemsAreUncorrelated draws one of 200 equally likely tokens at the same place of two items'
// completions.
func TestTheRandomNumbersOfTwoItemsAreUncorrelated(t *testing.T) {
	const repeats = 4000
	sampling := journal.Sampling{Sampling: backends.Sampling{Temperature: 1, Seed: 1}}
	scores := make([]float32, 200)
	place := func(id string, repeat, position int) float64 {
		s := engine.Sampler{Sampling: sampling.Sampling, Position: position}
		s.Seed = sampling.SeedOf(journal.RepeatID(id, repeat))
		return float64(logits.Draw(scores, 0, &s)) / float64(len(scores))
	}
	for _, position := range []int{0, 1, 100} {
		product := 0.0
		for repeat := range repeats {
			product += (place("mmlu_pro/70", repeat+1, position) - 0.5) * (place("mmlu_pro/71", repeat+1, position) - 0.5)
		}
		correlation := product / repeats * 12 // a uniform number's variance is 1/12
		assert.Check(t, math.Abs(correlation) < 0.05, "position %d: correlation %.3f", position, correlation)
	}
}

// TestWhatIsDrawnForAnItemDependsOnTheItemAlone asks the same questions all at once, in several slots, a shard at a
// time, and among others.
func TestWhatIsDrawnForAnItemDependsOnTheItemAlone(t *testing.T) {
	folder := t.TempDir()
	texts := map[string]string{}
	for name, args := range map[string][]string{
		"one slot": {"law,math", "--slots", "1"}, "slots": {"law,math", "--slots", "7"}, "first shard": {"law,math",
			"--shard", "1/3"},
		"last shard": {"law,math", "--shard", "3/3"}, "a subject": {"math"}, "more subjects": {"law,math,physics"},
		"few": {"law,math", "--limit", "5"},
	} {
		out := filepath.Join(folder, name)
		run(t, slices.Concat(sampledRun, []string{"--max-tokens", "12", "--out", out, "--subjects"}, args)...)
		for _, r := range loaded(t, out).Records {
			if text, asked := texts[r.ID]; asked {
				assert.Check(t, r.Text == text, "%s, %s: %q, and elsewhere %q", name, r.ID, r.Text, text)
			}
			texts[r.ID] = r.Text
		}
	}
	assert.Check(t, len(texts) == 36, "%d items", len(texts))
}
