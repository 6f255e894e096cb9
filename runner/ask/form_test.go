package ask_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/items"
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
	off := false
	texts := map[bool]map[string]string{}
	preambles := map[bool]map[string]string{}
	for name, served := range map[string]bool{"by the server": true, "here": false} {
		t.Run(name, func(t *testing.T) {
			plan := planOf(t, task.All[0], dataset.Selection{Limit: 28})
			dialogue := dialogueIn(t, served, &off)
			counted := &counting{Template: dialogue.Template}
			dialogue.Template = counted
			plan = worded(t, plan, dialogue)
			assert.Check(t, is.Equal(counted.folds, map[bool]int{true: 14, false: 14 + 28}[served]), "one a subject, and each item")
			requests := 0
			model := &scripted.Model{Write: write, Answer: func(r backends.Request) string {
				requests++
				assert.Check(t, r.Think != nil && !*r.Think, "%s: think %v", r.ID, r.Think)
				assert.Check(t, served == (r.Messages != nil), "%s: the messages are %q", r.ID, r.Messages)
				return "The answer is (A)."
			}}
			run := asksAll(t, plan, model, nil)
			kept := load(t, run)
			assert.Check(t, requests == 28 && len(kept.Records) == 28 && kept.Header.Think == "off",
				"%d asked, %d kept, think %q", requests, len(kept.Records), kept.Header.Think)
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
	for _, own := range [][]string{nil, {"enough"}} {
		var s spec.Spec
		s.Stop = spec.Stop{Given: own != nil, Strings: own}
		plan := planWith(t, sample(t), task.All[0], dataset.Selection{Limit: 1}, s)
		plan = worded(t, plan, dialogueIn(t, false, nil))
		assert.Check(t, slices.Equal(headerOf(t, plan, &scripted.Model{}).Sampling.Stop, own), "%q", own)
	}
}

// TestAConversationThatBeginsOtherwiseIsAnError demands that no journal claims a prompt that the model did not read.
func TestAConversationThatBeginsOtherwiseIsAnError(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 28})
	plan = worded(t, plan, dialogueIn(t, true, nil))
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

// worded is a plan whose prompts are a dialogue's.
func worded(t *testing.T, plan *ask.Plan, d prompts.Dialogue) *ask.Plan {
	t.Helper()
	p, err := plan.Questions.Prompts(t.Context(), &scripted.Model{}, ask.Wording{Dialogue: &d})
	assert.NilError(t, err)
	return measured(t, &ask.Plan{Prompts: *p}, nil)
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

// dialogueIn is in plainTemplate, which the server may write down itself.
func dialogueIn(t *testing.T, served bool, think *bool) prompts.Dialogue {
	t.Helper()
	template, err := chat.Parse(chat.OfModel, plainTemplate)
	assert.NilError(t, err)
	return prompts.Dialogue{Template: template, Turns: true, Served: served, Options: chat.Options{EnableThinking: think}}
}

// TestASettingOfThinkingThatIsNotHeededIsSaidAtOnce demands one warning, with the completion that shows it.
func TestASettingOfThinkingThatIsNotHeededIsSaidAtOnce(t *testing.T) {
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
			plan = worded(t, plan, dialogueIn(t, false, &c.think))
			requests, kept, said, after := 0, 0, "", 0
			model := &scripted.Model{Answer: func(backends.Request) string { requests++; return c.answer(requests) }}
			_, err := asking(t.Context(), t, plan, model, filepath.Join(t.TempDir(), "run"), ask.Observer{
				Item: func(*journal.Record) { kept++ },
				Warn: func(text string) { said, after = said+text+"\n", kept },
			})
			assert.Check(t, err == nil && after == c.after && strings.Contains(said, c.want) && strings.Count(said, "\n") <= 1,
				"after %d completions: %q, %v", after, said, err)
		})
	}
}

func TestAListHasAsManyItemsAsTheReportCounts(t *testing.T) {
	for name, made := range journaltest.Examples() {
		t.Run(name, func(t *testing.T) {
			h, records := made()
			run := journaltest.Keep(t, t.TempDir(), h, journaltest.Shuffled(records))
			agree(t, run, "")
			agree(t, run, map[bool]string{true: "direct", false: "anchored"}[name == "direct"])
		})
	}
}

// agree lists the items of every filter that the report has a figure for.
func agree(t *testing.T, run, set string) {
	t.Helper()
	r, err := metrics.Open(run, metrics.Options{RuleSet: set})
	assert.NilError(t, err)
	errors := []string{"ADAPTER_ERROR", "HARNESS_ERROR"}
	check := func(filter items.Filter, n int) {
		rows, promised := listed(t, run, set, filter)
		assert.Check(t, rows == n && promised == n, "rules %q, %v: %d rows of %d, the report counts %d", set, filter, rows,
			promised, n)
	}
	check(items.Filter{}, r.Items)
	check(items.Filter{Tags: errors}, r.Errors)
	check(items.Filter{Tags: []string{items.Contradictory}}, r.Doubtful.Contradicting)
	check(items.Filter{Tags: []string{items.WeakestRule}}, r.Doubtful.ByRule)
	for tag, n := range r.FailureCounts {
		check(items.Filter{Tags: []string{tag}}, n)
	}
	for cause, n := range r.Causes {
		check(items.Filter{Tags: []string{cause}}, n)
	}
	for _, subject := range r.Subjects {
		check(items.Filter{Subjects: []string{subject.Subject}}, subject.Items)
		check(items.Filter{Subjects: []string{subject.Subject}, Tags: errors}, subject.Errors)
	}
}

// listed counts the rows of a list, and says how many it promised.
func listed(t *testing.T, run, set string, filter items.Filter) (rows, promised int) {
	t.Helper()
	list, err := items.Open([]string{run}, items.Options{RuleSet: set, Filter: filter})
	assert.NilError(t, err)
	defer list.Close()
	for _, err := range list.Rows() {
		assert.NilError(t, err)
		rows++
	}
	return rows, list.Len()
}
