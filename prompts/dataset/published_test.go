package dataset_test

import (
	"os"
	"slices"
	"strings"
	"testing"

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
		if id, ok := task.FindPublished(q.Text, q.Options, set.Test[max(0, i-1)].ID+1); !ok || task.Checksum(id, q.Text, q.Options) != all[i] {
			t.Fatalf("question %d is found as %d", q.ID, id)
		}
	}
	if _, ok := task.FindPublished("Made up?", nil, 0); ok {
		t.Error("a question that is none of them is found")
	}
	slices.Sort(all)
	if golden.FlagUpdate() {
		if err := os.WriteFile("../task/questions.sha256", []byte(strings.Join(all, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("../task/questions.sha256")
	if err != nil || string(have) != strings.Join(all, "") || set.SHA256 != task.PublishedSHA256 {
		t.Errorf("questions.sha256 has %d bytes, want %d of %d questions; the set's sha256 is %s, %v", len(have), 8*len(all),
			len(set.Test), set.SHA256, err)
	}
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
		if task.IsPublished(test.id, test.text, test.options) != test.want {
			t.Errorf("%s: not %t", name, test.want)
		}
	}
	if set.Published() != task.Published {
		t.Error("the published set is not known")
	}
	set.Test = set.Test[5:9]
	if set.Published() != task.Published {
		t.Error("some of its questions are not known")
	}
	set.Test[3].Text = "Made up?"
	if set.Published() != "" {
		t.Error("a set with a made-up question is taken for it")
	}
}
