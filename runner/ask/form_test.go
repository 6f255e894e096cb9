package ask_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
)

const plainTemplate = `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{{ '' if enable_thinking else '<answer>' }}`

// write is plainTemplate as a backend has it.
func write(messages []backends.Message, think *bool) string {
	var text strings.Builder
	for _, m := range messages {
		text.WriteString("<" + m.Role + ">" + m.Content)
	}
	if think == nil || !*think {
		text.WriteString("<answer>")
	}
	return text.String()
}

// TestAConversationGoesToABackendThatWritesItDownItself demands the messages instead of the prompt where the template is
// the backend's, and only there, and the same journal of both.
func TestAConversationGoesToABackendThatWritesItDownItself(t *testing.T) {
	template, err := chat.Parse(chat.OfModel, plainTemplate, chat.Here)
	assert.NilError(t, err)
	off := false
	texts := map[bool]map[string]string{}
	preambles := map[bool]map[string]string{}
	for name, served := range map[string]bool{"by the server": true, "here": false} {
		t.Run(name, func(t *testing.T) {
			plan := planOf(t, task.All[0], dataset.Selection{Limit: 28})
			counted := &counting{Template: template}
			dialogue := dialogueIn(counted, served, &off)
			assert.NilError(t, plan.Converse(dialogue, "off"))
			if want := map[bool]int{true: 14, false: 14 + 28}[served]; counted.folds != want { // one a subject, and each item
				t.Errorf("%d conversations were written down before the run, want %d", counted.folds, want)
			}
			asked := 0
			model := &scripted.Model{Write: write, Answer: func(r backends.Request) string {
				asked++
				assert.Check(t, r.Think != nil && !*r.Think, "%s: think %v", r.ID, r.Think)
				assert.Check(t, served == (r.Messages != nil), "%s: the messages are %q", r.ID, r.Messages)
				return "The answer is (A)."
			}}
			run := asksAll(t, plan, model, nil)
			kept := load(t, run)
			assert.Check(t, asked == 28 && len(kept.Records) == 28 && kept.Header.Think == "off",
				"%d asked, %d kept, think %q", asked, len(kept.Records), kept.Header.Think)
			preambles[served], texts[served] = kept.Header.Preambles, map[string]string{}
			for _, r := range kept.Records {
				texts[served][r.ID] = r.Prompt
			}
		})
	}
	assert.Check(t, maps.Equal(preambles[true], preambles[false]) && maps.Equal(texts[true], texts[false]),
		"the journals differ in their prompts")
}

// TestAConversationEndsWithItsTurnOrWhereTheRunSays demands the run's own stop strings, and none of the style's.
func TestAConversationEndsWithItsTurnOrWhereTheRunSays(t *testing.T) {
	template, err := chat.Parse(chat.OfModel, plainTemplate, chat.Here)
	assert.NilError(t, err)
	set, err := dataset.Open(dataset.SampleName, dataset.Options{})
	assert.NilError(t, err)
	for _, own := range [][]string{nil, {"enough"}} {
		plan := planWith(t, set, task.All[0], dataset.Selection{Limit: 1}, ask.Settings{Stop: own})
		assert.NilError(t, plan.Converse(dialogueIn(template, false, nil), ""))
		stop := headerOf(t, plan, &scripted.Model{}).Sampling.Stop
		assert.Check(t, slices.Equal(stop, own), "own stop strings %q: %q", own, stop)
	}
}

// TestAConversationThatBeginsOtherwiseIsAnError demands that no journal claims a prompt that the model did not read.
func TestAConversationThatBeginsOtherwiseIsAnError(t *testing.T) {
	template, err := chat.Parse(chat.OfModel, plainTemplate, chat.Here)
	assert.NilError(t, err)
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 28})
	assert.NilError(t, plan.Converse(dialogueIn(template, true, nil), ""))
	other := plan.Items[3].ID
	calls := 0
	model := &scripted.Model{Write: func(messages []backends.Message, think *bool) string {
		if calls++; calls == 4 {
			return "Today is Monday." + write(messages, think)
		}
		return write(messages, think)
	}}
	run := asksAll(t, plan, model, nil)
	for _, r := range load(t, run).Records {
		failed := r.Finish == backends.FinishError
		assert.Check(t, failed == (r.ID == other), "%s: %s %q", r.ID, r.Finish, r.Error)
	}
}

// counting counts the conversations that are written down.
type counting struct {
	prompts.Template
	folds int
}

func (c *counting) Fold(messages []chat.Message, o chat.Options) (chat.Rendering, error) {
	c.folds++
	return c.Template.Fold(messages, o)
}

func dialogueIn(template prompts.Template, served bool, think *bool) prompts.Dialogue {
	return prompts.Dialogue{Template: template, Turns: true, Served: served, Options: chat.Options{EnableThinking: think}}
}

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
