package ask

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/task"
	"proctor/runner/ask/form"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

// TestLettersDoNotDependOnWhatIsDrawn: the set has questions with more options than those that were drawn.
func TestLettersDoNotDependOnWhatIsDrawn(t *testing.T) {
	p := directPlan("is (")
	p.header.Dataset.Options = 3
	assert.Check(t, p.mostLetters() == 3, "%d letters, want 3", p.mostLetters())
}

// directPlan is one of items with two options and these texts.
func directPlan(texts ...string) *Plan {
	p := &Plan{Task: task.All[0].AsDirect()}
	for _, text := range texts {
		p.Items = append(p.Items, prompts.Item{ID: "x/" + text, Subject: text, Preamble: "Q", Text: text, Options: 2})
	}
	return p
}

func TestAModelThatDoesNotTellIsRefused(t *testing.T) {
	p := directPlan("is (")
	errortest.Says(t, p.spell(&scripted.Model{}), "direct")
	err := p.Run(t.Context(), &scripted.Model{}, nil, &journal.Resume{}, Observer{})
	assert.Check(t, err != nil, "it runs")
}

func TestATemplateThatOpensThinkingThoughItIsOffIsRefused(t *testing.T) {
	const opens = "{% for m in messages %}|{{m.role}}|{{m.content}}{% endfor %}|A:" +
		"{% if enable_thinking or messages[0].role == 'system' %}<think>\n{% endif %}"
	off, on := false, true
	for name, test := range map[string]struct {
		system, asked string
		think         *bool
		refused       bool
	}{
		"with a system message":   {"Be brief.", "Which?", &off, true},
		"without one":             {"", "Which?", &off, false},
		"that writes of the mark": {"", "What is <think>?", &off, false},
		"thinking is on":          {"Be brief.", "Which?", &on, false},
		"thinking is the model's": {"Be brief.", "Which?", nil, false},
	} {
		parsed, err := chat.Parse(chat.OfModel, opens, chat.Here)
		assert.NilError(t, err)
		p := &Plan{Task: task.All[0], Items: []prompts.Item{{ID: "x/1", Text: test.asked, Turns: &prompts.Turns{System: test.system}, Options: 2}}}
		for _, served := range []bool{false, true} {
			items := slices.Clone(p.Items)
			d := prompts.Dialogue{Template: parsed, Turns: true, Served: served, Options: chat.Options{EnableThinking: test.think}}
			err = p.converseChecked(d, form.Form{Think: test.think}.Thinks())
			if p.Items = items; test.refused {
				errortest.For(t, name, err, "think off", "x/1", `<think>`, "chat template")
			} else if err != nil {
				t.Errorf("%s, written by a server %v: %v", name, served, err)
			}
		}
	}
}

func TestADirectAnswerComesBeforeAnyThinking(t *testing.T) {
	for name, test := range map[string]struct{ template, ends, refused string }{
		"no thinking": {"U:{{messages[-1].content}}|A:", "|A:is (", ""},
		"thinking that can be off": {"U:{{messages[-1].content}}|A:{% if not enable_thinking %}<think></think>{% endif %}",
			"<think></think>is (", ""},
		"thinking that is opened":     {"U:{{messages[-1].content}}|A:<think>\n", "", "prompt raw"},
		"channels":                    {"U:{{messages[-1].content}}<|start|>assistant", "", "prompt raw"},
		"thinking opened, can be off": {"U:{{messages[-1].content}}|A:{% if enable_thinking %}<think>{% endif %}", "|A:is (", ""},
	} {
		parsed, err := chat.Parse(chat.OfModel, test.template, chat.Here)
		assert.NilError(t, err)
		p := directPlan("is (")
		p.Items[0].AnswerPrefix = "is ("
		err = p.converseChecked(prompts.Dialogue{Template: parsed}, "")
		switch text := p.Items[0].Prompt(); {
		case test.refused != "":
			errortest.For(t, name, err, test.refused)
		case err != nil || !strings.HasSuffix(text, test.ends):
			t.Errorf("%s: %v, %q", name, err, text)
		}
	}
}
