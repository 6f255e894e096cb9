package prompts

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
)

const plainTemplate = `{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}` +
	`{% if add_generation_prompt %}<assistant>{% endif %}`

const withoutSystem = `{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}` + plainTemplate

func TestADialogueKeepsEveryPromptWholeAndSharesItsBeginning(t *testing.T) {
	items := sampleItems(t, 28)
	for name, d := range map[string]Dialogue{
		"in one turn": {Template: parsed(t, plainTemplate)},
		"in turns":    {Template: parsed(t, plainTemplate), Turns: true},
	} {
		t.Run(name, func(t *testing.T) {
			d.Options.BOS = "<s>"
			rendered, note, err := d.Apply(items)
			assert.Assert(t, err == nil && note == "", "note %q, error %v", note, err)
			turns := map[bool]int{true: 6, false: 1}[d.Turns]
			for i, item := range rendered {
				prompt := item.Prompt()
				assert.Assert(t, strings.HasPrefix(prompt, "<s><") && strings.HasSuffix(prompt, items[i].Text+"</user><assistant>"), prompt)
				assert.Equal(t, strings.Count(prompt, "<assistant>"), turns, item.ID)
				assert.Assert(t, len(item.Preamble) >= len(items[i].Preamble), "%s shares too little", item.ID)
			}
			assert.Assert(t, items[0].Preamble != rendered[0].Preamble, "the items given were changed")
		})
	}
}

func TestTheSystemsTextHasItsOwnTurn(t *testing.T) {
	items := sampleItems(t, 14)
	for i := range items {
		turns := *items[i].Turns
		turns.System = "You are careful."
		items[i].Turns, items[i].Preamble = &turns, turns.preamble()
	}
	for name, c := range map[string]struct {
		turns bool
		want  string
	}{
		"in one turn": {false, "<system>You are careful.</system><user>The following are multiple choice"},
		"in turns":    {true, "<system>You are careful.\n\nThe following are multiple choice"},
	} {
		rendered, _, err := Dialogue{Template: parsed(t, plainTemplate), Turns: c.turns}.Apply(items)
		assert.NilError(t, err)
		got := rendered[0].Prompt()
		assert.Check(t, strings.HasPrefix(got, c.want) && strings.Count(got, "You are careful.") == 1, "%s: %.120q", name, got)
	}
}

func TestATemplateWithoutSystemTurnsGetsTheInstructionFromTheUser(t *testing.T) {
	d := Dialogue{Template: parsed(t, withoutSystem), Turns: true}
	rendered, note, err := d.Apply(sampleItems(t, 14))
	assert.NilError(t, err)
	assert.Check(t, strings.HasPrefix(rendered[0].Prompt(), "<user>The following are multiple choice questions"), rendered[0].Prompt())
	assert.Check(t, strings.Contains(note, "System role not supported"), note)
}

func TestATemplateThatRefusesNamesTheItem(t *testing.T) {
	d := Dialogue{Template: parsed(t, `{{ raise_exception('no exams') }}`)}
	_, _, err := d.Apply(sampleItems(t, 14))
	errortest.Says(t, err, "mmlu_pro/", "no exams")
}

// TestAPreambleDoesNotDependOnWhatIsDrawn: a run that is extended has those that it began with.
func TestAPreambleDoesNotDependOnWhatIsDrawn(t *testing.T) {
	server := Dialogue{Template: parsed(t, plainTemplate), Served: true}
	for name, d := range map[string]Dialogue{
		"in one turn": {Template: parsed(t, plainTemplate)}, "in turns": {Template: parsed(t, plainTemplate), Turns: true},
		"at a server": server, "without a system's turn": {Template: parsed(t, withoutSystem), Turns: true},
	} {
		preambles := map[string]string{}
		for _, limit := range []int{14, 60, 168} {
			rendered, _, err := d.Apply(sampleItems(t, limit))
			assert.NilError(t, err)
			for _, item := range rendered {
				before, seen := preambles[item.Subject]
				assert.Assert(t, !seen || before == item.Preamble, "%s: %s, of %d questions", name, item.Subject, limit)
				preambles[item.Subject] = item.Preamble
			}
		}
	}
}

func TestATemplateThatReadsTheQuestionIsRefused(t *testing.T) {
	items := sampleItems(t, 28)
	items[1].Text += "<tool>"
	d := Dialogue{Template: parsed(t, `{% if '<tool>' in messages[-1].content %}<t>{% endif %}`+plainTemplate)}
	_, _, err := d.Apply(items)
	errortest.Says(t, err, items[1].ID+": the chat template begins this conversation otherwise")
}

func TestACommonPrefixEndsBetweenCharacters(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"naïve é", "naïve è", "naïve "}, {"é", "è", ""}, {"one", "one two", "one"}, {"", "one", ""},
	} {
		assert.Equal(t, c.a[:commonPrefix(c.a, c.b)], c.want)
	}
}

func parsed(t *testing.T, source string) *chat.Template {
	t.Helper()
	template, err := chat.Parse(chat.OfModel, source)
	assert.NilError(t, err)
	return template
}

func sampleItems(t *testing.T, limit int) []Item {
	t.Helper()
	set, err := dataset.Open(dataset.SampleName, dataset.Options{})
	assert.NilError(t, err)
	questions, err := set.Select(dataset.Selection{Limit: limit})
	assert.NilError(t, err)
	items, err := Eval{Task: task.All[0], Style: Styles[0], Shots: 5}.Items(set, questions)
	assert.NilError(t, err)
	return items
}
