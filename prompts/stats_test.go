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

// evalscope publishes, for each subject, how long its prompts are. Its table is of another revision of the data set: where only the
// questions' whitespace and wording changed, means differ by less than a character and extremes agree. Of one subject, health, the
// shots differ: every prompt of the table is 99 characters longer, the shortest as well as the longest. The table does not say in
// which of the five shots; the reference prompts, which are of today's revision, have its shots as they are here.
func TestStatsGiveEvalscopesPublishedTable(t *testing.T) {
	set := published(t)
	got := map[string]prompts.Lengths{}
	for _, l := range prompts.Stats(itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: lookup(t, "evalscope"), Shots: 5})) {
		got[l.Subject] = l
	}
	assert.Equal(t, len(got), 14)
	longer := map[string]int{} // in the table, by subject
	for _, want := range []struct {
		prompts.Lengths
		apart float64 // by how much the mean may differ
	}{
		{prompts.Lengths{"business", 789, 4646.01, 4316, 6915}, 0},
		{prompts.Lengths{"psychology", 798, 5274.19, 4656, 6942}, 0},
		{prompts.Lengths{"biology", 717, 5881.08, 5179, 7850}, 0},
		{prompts.Lengths{"history", 381, 9919.94, 8711, 12100}, 0},
		{prompts.Lengths{"other", 924, 3730.86, 3316, 6108}, 0},
		{prompts.Lengths{"economics", 844, 4680.21, 4118, 6907}, 0},
		{prompts.Lengths{"computer science", 410, 5184.05, 4696, 7303}, 0},
		{prompts.Lengths{"philosophy", 499, 3760.1, 3360, 5289}, 0},
		{prompts.Lengths{"math", 1351, 4853.54, 4574, 7519}, 0.2},
		{prompts.Lengths{"chemistry", 1132, 4567.2, 4182, 5975}, 0.2},
		{prompts.Lengths{"engineering", 969, 3595.66, 3048, 5775}, 0.2},
		{prompts.Lengths{"law", 1101, 7001.35, 5581, 9200}, 0.2},
		{prompts.Lengths{"physics", 1299, 4389.59, 4004, 6511}, 0.2},
		{prompts.Lengths{"health", 818, 4624.44, 4134, 9310}, 0.2},
	} {
		l := got[want.Subject]
		more := want.Min - l.Min
		if more != 0 {
			longer[want.Subject] = more
		}
		assert.Check(t, l.Count == want.Count && l.Max+more == want.Max && math.Abs(l.Mean+float64(more)-want.Mean) <= 0.005+want.apart,
			"%+v, want %+v", l, want)
	}
	assert.DeepEqual(t, longer, map[string]int{"health": 99})
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
