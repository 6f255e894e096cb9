package ask_test

import (
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
)

// TestASettingOfThinkingThatIsNotHeededIsSaidAtOnce demands one warning, with the completion that shows it.
func TestASettingOfThinkingThatIsNotHeededIsSaidAtOnce(t *testing.T) {
	template, err := chat.Parse(chat.OfModel, plainTemplate, chat.Here)
	assert.NilError(t, err)
	const thinks, answers = "<think>Hm.</think>The answer is (A).", "The answer is (A)."
	for name, c := range map[string]struct {
		think  bool
		answer func(n int) string // the n-th, from 1
		after  int                // completions until it is said; 0 where it is not
		want   string
	}{
		"off, and the third thinks": {false, func(n int) string { return map[bool]string{true: thinks, false: answers}[n == 3] }, 3,
			"think off was not heeded: 1 of 3 completions show thinking; "},
		"off, and empty marks": {false, func(int) string { return "<think>\n</think>" + answers }, 0, ""},
		"on, and none thinks":  {true, func(int) string { return answers }, 8, "none of 8 completions has thinking; "},
		"on, and one thinks":   {true, func(n int) string { return map[bool]string{true: thinks, false: answers}[n == 2] }, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
			word := map[bool]string{true: "on", false: "off"}[c.think]
			assert.NilError(t, plan.Converse(dialogueIn(template, false, &c.think), word))
			asked, kept, said, after := 0, 0, "", 0
			model := &scripted.Model{Answer: func(backends.Request) string { asked++; return c.answer(asked) }}
			to, err := journal.Create(filepath.Join(t.TempDir(), "run"), headerOf(t, plan, model))
			assert.NilError(t, err)
			defer to.Close()
			err = plan.Run(t.Context(), model, to, &journal.Resume{}, ask.Observer{
				Item: func(*journal.Record) { kept++ },
				Warn: func(text string) { said, after = said+text+"\n", kept },
			})
			assert.Check(t, err == nil && after == c.after && strings.Contains(said, c.want) && strings.Count(said, "\n") <= 1,
				"after %d completions: %q, %v", after, said, err)
		})
	}
}
