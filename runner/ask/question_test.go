package ask

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/journal"
)

// TestTheQuestionIsToldFromTheRestOfAPrompt renders questions in every built-in style, and takes them out of it again.
func TestTheQuestionIsToldFromTheRestOfAPrompt(t *testing.T) {
	set, err := dataset.Open("sample", dataset.Options{})
	assert.NilError(t, err)
	for _, style := range slices.Concat(prompts.Styles, prompts.Published) {
		if !style.LaysOut(task.All[0]) {
			continue
		}
		eval := prompts.Eval{Task: task.All[0], Style: style}
		if style.ShowsShots() {
			eval.Shots = 5
		}
		items, err := eval.Items(set, set.Test)
		assert.NilError(t, err)
		for _, item := range items {
			q, err := set.Find(item.QuestionID)
			assert.NilError(t, err)
			r := journal.Record{Options: item.Options, OptionTexts: item.OptionTexts, Prompt: item.Text}
			question, found := r.QuestionText(item.Preamble)
			assert.Assert(t, found && question == strings.TrimSpace(q.Text), "%s: %s, %q", style.Name, item.ID, question)
		}
	}
}
