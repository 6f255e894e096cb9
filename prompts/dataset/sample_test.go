package dataset_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"proctor/prompts/dataset"
)

// The subjects of MMLU-Pro, by name.
var subjects = []string{
	"biology", "business", "chemistry", "computer science", "economics", "engineering", "health",
	"history", "law", "math", "other", "philosophy", "physics", "psychology",
}

func sample(t *testing.T) *dataset.Set {
	return mustOpen(t, dataset.SampleName, dataset.Options{Folder: t.TempDir()})
}

func TestSampleHasTheUpstreamSchema(t *testing.T) {
	want := []string{"answer", "answer_index", "category", "cot_content", "options", "question", "question_id", "src"}
	for _, name := range []string{"sample/test.jsonl", "sample/validation.jsonl"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
			var keys []string
			for key := range row {
				keys = append(keys, key)
			}
			if slices.Sort(keys); !slices.Equal(keys, want) {
				t.Errorf("%s:%d: keys %q, want %q", name, i+1, keys, want)
			}
		}
	}
}

func TestSampleCoversAllSubjects(t *testing.T) {
	set := sample(t)
	if found := set.Contradictions(); len(found) > 0 || len(set.BadRows) > 0 {
		t.Errorf("contradictions %v, bad rows %v", found, set.BadRows)
	}
	for _, split := range []struct {
		name      string
		questions []dataset.Question
		each      int
	}{{dataset.TestSplit, set.Test, 12}, {dataset.ValidationSplit, set.Validation, 5}} {
		counts := map[string]int{}
		for _, q := range split.questions {
			counts[q.Subject]++
		}
		want := map[string]int{}
		for _, subject := range subjects {
			want[subject] = split.each
		}
		if fmt.Sprint(counts) != fmt.Sprint(want) {
			t.Errorf("%s: %v questions, want %v", split.name, counts, want)
		}
	}
}

func TestSampleQuestionsAreWellFormed(t *testing.T) {
	set := sample(t)
	texts, ids := map[string]int{}, map[int]bool{}
	for _, q := range slices.Concat(set.Test, set.Validation) {
		if other, taken := texts[q.Text]; taken {
			t.Errorf("questions %d and %d have the same text", q.ID, other)
		}
		if ids[q.ID] {
			t.Errorf("id %d is in both splits", q.ID)
		}
		texts[q.Text], ids[q.ID] = q.ID, true
		if n := len(q.Options); n < 3 || n > 10 {
			t.Errorf("question %d has %d options", q.ID, n)
		}
		seen := map[string]bool{}
		for _, option := range q.Options {
			key := strings.ToLower(strings.TrimSpace(option))
			if key == "" || seen[key] || option != strings.TrimSpace(option) || option == dataset.Filler {
				t.Errorf("question %d: option %q is empty, padded, filler or there twice", q.ID, option)
			}
			seen[key] = true
		}
		if q.Text != strings.TrimSpace(q.Text) || q.Src == "" {
			t.Errorf("question %d: padded text or no source", q.ID)
		}
	}
	for n := 3; n <= 10; n++ {
		if !slices.ContainsFunc(set.Test, func(q dataset.Question) bool { return len(q.Options) == n }) {
			t.Errorf("no test question has %d options", n)
		}
	}
}

func TestTheSampleIsNotThePublishedSet(t *testing.T) {
	if name := sample(t).Published(); name != "" {
		t.Errorf("it is taken for %s", name)
	}
}

func TestSampleShotsReasonTowardsTheirGoldLetter(t *testing.T) {
	for _, q := range sample(t).Validation {
		end := " The answer is (" + q.Answer + ")."
		if !strings.HasPrefix(q.CoT, "A: Let's think step by step. ") || !strings.HasSuffix(q.CoT, end) {
			t.Errorf("question %d: reasoning %q, want it to end in %q", q.ID, q.CoT, end)
		}
		if strings.Count(q.CoT, "he answer is (") != 1 {
			t.Errorf("question %d: more than one verdict", q.ID)
		}
	}
}

// A model that always gives the same letter, or the longest option, must not do well.
func TestSampleGoldCannotBeGuessed(t *testing.T) {
	letters, expected := map[string]int{}, map[string]float64{}
	var longest, chance float64
	for _, q := range sample(t).Test {
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
