package prompts_test

import (
	"crypto/sha256"
	"fmt"
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts"
	"proctor/prompts/task"
)

// evalscope publishes, for each subject, how long its prompts are. Its table is of another revision of the data set:
// where only the questions' whitespace and wording changed, means differ and extremes agree.
func TestStatsGiveEvalscopesPublishedTable(t *testing.T) {
	set := published(t)
	got := map[string]prompts.Lengths{}
	for _, l := range prompts.Stats(itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: lookup(t, "evalscope"), Shots: 5})) {
		got[l.Subject] = l
	}
	assert.Equal(t, len(got), 14)
	for _, want := range []prompts.Lengths{
		{"business", 789, 4646.01, 4316, 6915},
		{"psychology", 798, 5274.19, 4656, 6942},
		{"biology", 717, 5881.08, 5179, 7850},
		{"history", 381, 9919.94, 8711, 12100},
		{"other", 924, 3730.86, 3316, 6108},
		{"economics", 844, 4680.21, 4118, 6907},
		{"computer science", 410, 5184.05, 4696, 7303},
		{"philosophy", 499, 3760.1, 3360, 5289},
		{Subject: "math", Count: 1351, Min: 4574, Max: 7519},
		{Subject: "chemistry", Count: 1132, Min: 4182, Max: 5975},
		{Subject: "engineering", Count: 969, Min: 3048, Max: 5775},
		{Subject: "law", Count: 1101, Min: 5581, Max: 9200},
		{Subject: "physics", Count: 1299, Min: 4004, Max: 6511},
	} {
		l := got[want.Subject]
		if want.Mean == 0 {
			l.Mean = 0
		}
		assert.Check(t, l.Count == want.Count && l.Min == want.Min && l.Max == want.Max && math.Abs(l.Mean-want.Mean) <= 0.005,
			"%+v, want %+v", l, want)
	}
}

func TestStatsCountCharactersNotBytes(t *testing.T) {
	items := []prompts.Item{
		{Subject: "a", Preamble: "äö", Text: "ü"}, {Subject: "a", Preamble: "äö", Text: "日本語"}, {Subject: "b", Text: "x"},
	}
	assert.Equal(t, fmt.Sprint(prompts.Stats(items)), "[{a 2 4 3 5} {b 1 1 1 1}]")
	assert.Check(t, prompts.Stats(nil) == nil)
}

func TestDigestsHashIDsAndPrompts(t *testing.T) {
	items := []prompts.Item{
		{Subject: "a", QuestionID: 1, Preamble: "p", Text: "q"}, {Subject: "a", QuestionID: 2, Preamble: "p", Text: "r"},
		{Subject: "b", QuestionID: 3, Text: "s"},
	}
	line := func(id int, prompt string) string { return fmt.Sprintf("%d %x\n", id, sha256.Sum256([]byte(prompt))) }
	want := []string{
		fmt.Sprintf("tiger@1\ta\t2\t%x", sha256.Sum256([]byte(line(1, "pq")+line(2, "pr")))),
		fmt.Sprintf("tiger@1\tb\t1\t%x", sha256.Sum256([]byte(line(3, "s")))),
	}
	for i, digest := range prompts.Digests(lookup(t, "tiger"), items) {
		assert.Equal(t, digest.String(), want[i])
	}
}

func TestTheOverallRowIsThatOfAllItems(t *testing.T) {
	got := prompts.Overall([]prompts.Lengths{{"law", 3, 10, 4, 20}, {"math", 1, 30, 30, 30}})
	assert.Equal(t, got, prompts.Lengths{Subject: "overall", Count: 4, Mean: 15, Min: 4, Max: 30})
	assert.Equal(t, prompts.Overall(nil), prompts.Lengths{Subject: "overall"})
}
