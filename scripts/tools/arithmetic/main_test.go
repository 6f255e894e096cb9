package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
)

func TestWrittenSetOpensAsADatasetWithShots(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "arithmetic")
	assert.NilError(t, write(folder, 300, 7, false))
	set, err := dataset.Open(folder, dataset.Options{})
	assert.NilError(t, err)
	assert.Assert(t, len(set.Test) == 300 && len(set.Validation) == shots,
		"%d test and %d validation questions", len(set.Test), len(set.Validation))
	counts := map[string]int{}
	for _, q := range set.Test {
		counts[q.Answer]++
		assert.Check(t, q.CoT == "" && q.Subject == "math", "question %d has subject %q and reasoning %q", q.ID, q.Subject, q.CoT)
	}
	assert.Check(t, len(counts) == 10 && counts["A"] <= 60, "gold letters are spread as %v", counts)
	for _, q := range set.Validation {
		if !strings.HasPrefix(q.CoT, "A: Let's think step by step. ") || !strings.HasSuffix(q.CoT, "The answer is ("+q.Answer+").") {
			t.Errorf("shot %d is reasoned %q, gold %s", q.ID, q.CoT, q.Answer)
		}
	}
}

func TestGoldOptionIsTheComputedNumber(t *testing.T) {
	for _, r := range invent(500, 11, false) {
		working, _, _ := strings.Cut(strings.TrimPrefix(r.Reasoning, "A: Let's think step by step. "), " (")
		words := strings.Fields(working)
		if len(words) == 5 && words[3] == "=" {
			a, b, result := number(t, words[0]), number(t, words[2]), number(t, words[4])
			want := map[string]int{"+": a + b, "-": a - b, "*": a * b}[words[1]]
			assert.Check(t, result == want, "%q", working)
		}
		right := 0
		for i, option := range r.Options {
			if option == words[len(words)-1] {
				right++
				assert.Check(t, i == r.AnswerIndex, "%s: %s is option %d, not %d", r.Question, option, i, r.AnswerIndex)
			}
		}
		assert.Check(t, right == 1, "%s: the result %s occurs %d times among %v", r.Question, words[len(words)-1], right, r.Options)
	}
}

func number(t *testing.T, text string) int {
	n, err := strconv.Atoi(text)
	assert.NilError(t, err)
	return n
}

func TestFlagsOutOfRangeAreRefused(t *testing.T) {
	err := write("", 10, 1, false)
	assert.Check(t, err != nil, "no folder is accepted")
	err = write(t.TempDir(), 0, 1, false)
	assert.Check(t, err != nil, "no questions are accepted")
}
