package prompts_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
			Style      string
			QuestionID int    `json:"question_id"`
			SHA256     string `json:"sha256"`
			Category   string
			Prompt     string
		}
		assert.NilError(t, json.Unmarshal(lines.Bytes(), &want))
		t.Run(want.Style+"/"+want.Category, func(t *testing.T) {
			got := itemOf(t, set, task.All[0], want.Style, want.QuestionID).Prompt()
			assert.Equal(t, got, want.Prompt)
			if sum := sha256.Sum256([]byte(got)); hex.EncodeToString(sum[:]) != want.SHA256 {
				t.Errorf("the reference's own hash differs: %s", want.SHA256)
			}
		})
		compared++
	}
	assert.NilError(t, lines.Err())
	if compared != 42 {
		t.Errorf("compared %d prompts, want 3 styles of 14 subjects", compared)
	}
}

// itemOf renders the first item of one question.
func itemOf(tb testing.TB, set *dataset.Set, task task.Task, style string, id int) prompts.Item {
	tb.Helper()
	q, err := set.Find(id)
	assert.NilError(tb, err)
	eval := prompts.Eval{Task: task, Style: lookup(tb, style), Shots: 5}
	items, err := eval.Items(set, []dataset.Question{q})
	assert.NilError(tb, err)
	return items[0]
}

func lookup(tb testing.TB, style string) prompts.Style {
	tb.Helper()
	s, err := prompts.LookupStyle(style)
	assert.NilError(tb, err)
	return s
}
