package prompts_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/scripts/tests/sharedtest"
)

func TestStylesReproduceTheReferenceImplementations(t *testing.T) {
	file, err := os.Open(sharedtest.Path(t, "reference/prompts.jsonl"))
	assert.NilError(t, err)
	defer file.Close()
	set := published(t)

	compared := 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var want struct {
			Style, Category, Prompt, SHA256 string
			QuestionID                      int `json:"question_id"`
		}
		assert.NilError(t, json.Unmarshal(lines.Bytes(), &want))
		t.Run(want.Style+"/"+want.Category, func(t *testing.T) {
			got := itemOf(t, set, task.All[0], want.Style, want.QuestionID).Prompt()
			assert.Equal(t, got, want.Prompt)
			assert.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte(got))), want.SHA256, "the reference's own hash differs")
		})
		compared++
	}
	assert.NilError(t, lines.Err())
	assert.Equal(t, compared, 42, "3 styles of 14 subjects")
}

func published(tb testing.TB) *dataset.Set {
	tb.Helper()
	return open(tb, sharedtest.Path(tb, "data/mmlu-pro"))
}

func open(tb testing.TB, ref string) *dataset.Set {
	tb.Helper()
	set, err := dataset.Open(ref, dataset.Options{Folder: tb.TempDir()})
	assert.NilError(tb, err)
	return set
}

// itemOf renders the first item of one question.
func itemOf(tb testing.TB, set *dataset.Set, task task.Task, style string, id int) prompts.Item {
	tb.Helper()
	q, err := set.Find(id)
	assert.NilError(tb, err)
	set = &dataset.Set{Test: []dataset.Question{q}, Validation: set.Validation}
	return itemsOf(tb, set, prompts.Eval{Task: task, Style: lookup(tb, style), Shots: 5})[0]
}

func lookup(tb testing.TB, style string) prompts.Style {
	tb.Helper()
	s, err := prompts.LookupStyle(style)
	assert.NilError(tb, err)
	return s
}
