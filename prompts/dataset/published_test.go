package dataset_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/prompts/task"
	"proctor/scripts/tests/sharedtest"
)

func TestTheChecksumsAreThoseOfThePublishedSet(t *testing.T) {
	set := openFile(t, sharedtest.Path(t, "data/mmlu-pro"))
	var all []string
	for _, q := range set.Test {
		all = append(all, task.Checksum(q.ID, q.Text, q.Options))
	}
	for i, q := range set.Test {
		id, ok := task.FindPublished(q.Text, q.Options, set.Test[max(0, i-1)].ID+1)
		assert.Assert(t, ok && task.Checksum(id, q.Text, q.Options) == all[i], "question %d is found as %d", q.ID, id)
	}
	_, ok := task.FindPublished("Made up?", nil, 0)
	assert.Check(t, !ok, "a question that is none of them is found")
	slices.Sort(all)
	if golden.FlagUpdate() {
		assert.NilError(t, os.WriteFile("../task/questions.sha256", []byte(strings.Join(all, "")), 0o644))
	}
	have, err := os.ReadFile("../task/questions.sha256")
	assert.Check(t, err == nil && string(have) == strings.Join(all, ""), "questions.sha256 has %d bytes, want %d; %v", len(have), 8*len(all), err)
	assert.Equal(t, set.SHA256, task.PublishedSHA256)
}

func TestAQuestionIsKnownByItsContent(t *testing.T) {
	set := openFile(t, sharedtest.Path(t, "data/mmlu-pro"))
	q := set.Test[0]
	for name, test := range map[string]struct {
		id      int
		text    string
		options []string
		want    bool
	}{
		"itself":            {q.ID, q.Text, q.Options, true},
		"other white space": {q.ID, " " + strings.ReplaceAll(q.Text, " ", "\r\n"), q.Options, true},
		"another id":        {q.ID + 1, q.Text, q.Options, false},
		"another text":      {q.ID, q.Text + "!", q.Options, false},
		"fewer options":     {q.ID, q.Text, q.Options[1:], false},
		"nothing":           {0, "", nil, false},
	} {
		assert.Check(t, task.IsPublished(test.id, test.text, test.options) == test.want, name)
	}
	assert.Equal(t, set.Published(), task.Published)
	set.Test = set.Test[5:9]
	assert.Equal(t, set.Published(), task.Published, "some of its questions")
	set.Test[3].Text = "Made up?"
	assert.Equal(t, set.Published(), "")
}
