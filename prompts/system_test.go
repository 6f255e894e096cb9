package prompts_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts"
	"proctor/prompts/task"
)

func TestTheSystemsTextLeadsARawPrompt(t *testing.T) {
	set := setOf(question(1, 3, "A"))
	eval := prompts.Eval{Task: task.All[0], Style: lookup(t, "tiger"), Shots: 5}
	without := itemsOf(t, set, eval)[0]
	eval.System = "You are careful."
	with := itemsOf(t, set, eval)[0]
	assert.Equal(t, with.Prompt(), "You are careful.\n\n"+without.Prompt())
	style, err := prompts.ParseStyle("f", "style: my-"+strings.TrimPrefix(strings.Replace(eval.Style.Text, "-- instruction --",
		"-- system --\nAbout {{.Subject}}.\n-- instruction --", 1), "style: "))
	assert.NilError(t, err)
	eval.Style = style
	assert.Equal(t, itemsOf(t, set, eval)[0].Prompt(), "You are careful.\n\n"+without.Prompt())
	eval.System = ""
	assert.Equal(t, itemsOf(t, set, eval)[0].Prompt(), "About math.\n\n"+without.Prompt())
}
