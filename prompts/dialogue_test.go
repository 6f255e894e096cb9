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
			if err != nil || note != "" {
				t.Fatalf("note %q, error %v", note, err)
			}
			for i, item := range rendered {
				prompt := item.Prompt()
				if !strings.HasPrefix(prompt, "<s><") || !strings.HasSuffix(prompt, items[i].Text+"</user><assistant>") {
					t.Errorf("%s: %q…%q", item.ID, prompt[:20], prompt[len(prompt)-60:])
				}
				if got := strings.Count(prompt, "<assistant>"); d.Turns && got != 6 || !d.Turns && got != 1 {
					t.Errorf("%s: %d assistant turns", item.ID, got)
				}
				if len(item.Preamble) < len(items[i].Preamble) {
					t.Errorf("%s: only %d bytes shared, the raw preamble has %d", item.ID, len(item.Preamble), len(items[i].Preamble))
				}
			}
			if items[0].Preamble == rendered[0].Preamble {
				t.Error("the items given were changed")
			}
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
		if got := rendered[0].Prompt(); !strings.HasPrefix(got, c.want) || strings.Count(got, "You are careful.") != 1 {
			t.Errorf("%s: %.120q", name, got)
		}
	}
}

func TestATemplateWithoutSystemTurnsGetsTheInstructionFromTheUser(t *testing.T) {
	d := Dialogue{Template: parsed(t, withoutSystem), Turns: true}
	rendered, note, err := d.Apply(sampleItems(t, 14))
	assert.NilError(t, err)
	if !strings.HasPrefix(rendered[0].Prompt(), "<user>The following are multiple choice questions") {
		t.Errorf("prompt %.80q", rendered[0].Prompt())
	}
	if !strings.Contains(note, "System role not supported") {
		t.Errorf("note %q", note)
	}
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
		for _, limit := range []int{14, 28, 60, 168} {
			rendered, _, err := d.Apply(sampleItems(t, limit))
			assert.NilError(t, err)
			for _, item := range rendered {
				if before, seen := preambles[item.Subject]; seen && before != item.Preamble {
					t.Errorf("%s: %s begins with %q of %d questions, before with %q", name, item.Subject, item.Preamble, limit, before)
				}
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
	if err == nil || !strings.HasPrefix(err.Error(), items[1].ID+": the chat template begins this conversation otherwise") {
		t.Errorf("error %v", err)
	}
}

func parsed(t *testing.T, source string) *chat.Template {
	t.Helper()
	template, err := chat.Parse(chat.OfModel, source, chat.Here)
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
