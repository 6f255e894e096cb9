package ask

import (
	"strings"
	"testing"

	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

// TestLettersDoNotDependOnWhatIsDrawn: the set has questions with more options than those that were drawn.
func TestLettersDoNotDependOnWhatIsDrawn(t *testing.T) {
	p := directPlan("is (")
	if p.header.Dataset.Options = 3; p.mostLetters() != 3 {
		t.Errorf("%d letters, want 3", p.mostLetters())
	}
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
	if err := p.Run(t.Context(), &scripted.Model{}, nil, &journal.Resume{}, Observer{}); err == nil {
		t.Error("it runs")
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
		if err != nil {
			t.Fatal(err)
		}
		p := directPlan("is (")
		p.Items[0].AnswerPrefix = "is ("
		err = p.converseDirectly(prompts.Dialogue{Template: parsed}, "")
		switch text := p.Items[0].Prompt(); {
		case test.refused != "":
			errortest.For(t, name, err, test.refused)
		case err != nil || !strings.HasSuffix(text, test.ends):
			t.Errorf("%s: %v, %q", name, err, text)
		}
	}
}
