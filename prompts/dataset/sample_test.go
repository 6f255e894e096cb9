package dataset_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
)

// The subjects of MMLU-Pro, by name.
var subjects = []string{
	"biology", "business", "chemistry", "computer science", "economics", "engineering", "health",
	"history", "law", "math", "other", "philosophy", "physics", "psychology",
}

func TestSampleCoversAllSubjects(t *testing.T) {
	set := openFile(t, dataset.SampleName)
	assert.Check(t, len(set.Contradictions()) == 0 && len(set.BadRows) == 0 && set.Published() == "", "%+v", set)
	for each, questions := range map[int][]dataset.Question{12: set.Test, 5: set.Validation} {
		counts, want := map[string]int{}, map[string]int{}
		for _, q := range questions {
			counts[q.Subject]++
		}
		for _, subject := range subjects {
			want[subject] = each
		}
		assert.DeepEqual(t, counts, want)
	}
}

// A model that always gives the same letter, or the longest option, must not do well.
func TestSampleGoldCannotBeGuessed(t *testing.T) {
	letters, expected := map[string]int{}, map[string]float64{}
	var longest, chance float64
	for _, q := range openFile(t, dataset.SampleName).Test {
		letters[q.Answer]++
		for i := range q.Options {
			expected[dataset.Letter(i)] += 1 / float64(len(q.Options))
		}
		chance += 1 / float64(len(q.Options))
		longest += longestIsGold(q)
	}
	for letter, want := range expected {
		if got := float64(letters[letter]); got < want/2 || got > want*1.6 {
			t.Errorf("gold %s: %v questions, an even spread has %.1f", letter, got, want)
		}
	}
	if longest > 2*chance {
		t.Errorf("taking the longest option is right in %.1f questions, chance in %.1f", longest, chance)
	}
}

// longestIsGold is the probability that one of the longest options, drawn by lot, is the gold one.
func longestIsGold(q dataset.Question) float64 {
	gold, ties := len(q.Options[q.Gold()]), 0
	for _, option := range q.Options {
		if len(option) > gold {
			return 0
		}
		if len(option) == gold {
			ties++
		}
	}
	return 1 / float64(ties)
}
