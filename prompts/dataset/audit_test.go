package dataset_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/sharedtest"
)

const flawed = `{"question_id":1,"question":"Same?","options":[" yes","no","N/A"],"answer":"A","answer_index":0,"category":"a"}
{"question_id":2,"question":"Same?","options":[" yes","no","N/A"],"answer":"A","answer_index":0,"category":"a"}
{"question_id":3,"question":"Same?","options":["yes","N/A","no","no"],"answer":"C","answer_index":2,"category":"b"}
{"question_id":4,"question":"Which?","options":["x","all of the above"],"answer":"B","answer_index":1,"category":"b"}`

func TestAnAuditFindsWhatIsOdd(t *testing.T) {
	found := openFile(t, write(t, "test.jsonl", flawed)).Audit()
	s := found.Splits[0]
	for _, check := range []struct {
		what      string
		got, want any
	}{
		{"rows", s.Rows, 4},
		{"subjects", s.Subjects, []dataset.SubjectCount{{Subject: "a", Questions: 2}, {Subject: "b", Questions: 2}}},
		{"option counts", s.OptionCounts, []dataset.OptionCount{{Options: 2, Questions: 1}, {Options: 3, Questions: 2},
			{Options: 4, Questions: 1}}},
		{"same text", s.SameText, [][]int{{1, 2, 3}}},
		{"same question", s.SameQuestion, [][]int{{1, 2}}},
		{"an option twice", s.RepeatedOptions, []int{3}},
		{"filler options", s.FillerOptions, 3},
		{"without reasoning", s.WithoutReasoning, 4},
	} {
		assert.Check(t, fmt.Sprint(check.got) == fmt.Sprint(check.want), "%s: %v, want %v", check.what, check.got, check.want)
	}

	var text strings.Builder
	assert.NilError(t, found.WriteText(&text))
	for _, part := range []string{"test: 4 questions", "2×1  3×2  4×1", "1 text shared by 3 questions",
		"option twice         1 question (3)", "filler N/A           3 options"} {
		assert.Check(t, strings.Contains(text.String(), part), "the text lacks %q:\n%s", part, text.String())
	}
	data, err := json.Marshal(openFile(t, dataset.SampleName).Audit())
	assert.Check(t, err == nil && !strings.Contains(string(data), "null"), "JSON of the sample %s, %v; want no null", data, err)
}

func TestAuditOfThePublishedSet(t *testing.T) {
	found := openFile(t, sharedtest.Path(t, "data/mmlu-pro")).Audit()
	test, validation := found.Splits[0], found.Splits[1]
	options := 0
	for _, c := range test.OptionCounts {
		options += c.Options * c.Questions
	}
	for _, check := range []struct {
		what      string
		got, want any
	}{
		{"test rows", test.Rows, 12032},
		{"validation rows", validation.Rows, 70},
		{"subjects", len(test.Subjects), 14},
		{"options", options, 113992},
		{"fewest options", test.OptionCounts[0].Options, 3},
		{"texts that occur more than once", len(test.SameText), 357},
		{"filler in the test split", test.FillerOptions, 0},
		{"validation questions also in the test split", len(found.Overlaps), 0},
		{"notes", test.Notes, []string{"question 3983: answer C, answer_index 1 disagree: answer decides"}},
		{"test sha256", test.SHA256[:8], "b8c790c6"},
		{"validation sha256", validation.SHA256[:8], "a6db33e4"},
	} {
		assert.Check(t, fmt.Sprint(check.got) == fmt.Sprint(check.want), "%s: %v, want %v", check.what, check.got, check.want)
	}
}
