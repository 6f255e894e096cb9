package budget_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/runner/ask/budget"
	"proctor/scripts/tests/errortest"
)

// keeper is a model that keeps budgets, but for one.
type keeper struct{ scripted.Model }

var errThirteen = errors.New("thirteen is none")

func (*keeper) CheckBudget(b backends.Budget) error {
	if b.Most() == 13 {
		return errThirteen
	}
	return nil
}

// knower knows tokens too.
type knower struct {
	keeper
	tokens []string
}

func (*knower) VocabularySHA256() string { return "" }
func (*knower) Piece(int32) string       { return "" }
func (k *knower) TokenOf(piece string) (int32, bool) {
	return 0, slices.Contains(k.tokens, piece)
}

func TestTemplatesThatThinkHaveTheirMarks(t *testing.T) {
	for line := range strings.Lines(`tags     {% if not enable_thinking %}{{ '<think>\n\n</think>\n\n' }}{% endif %}
tags     {{ '<|assistant|>\n<think>' }}
tags     {{ message.content.split('</think>')[-1] }}
harmony  {{ '<|start|>assistant<|channel|>analysis<|message|>' + thinking + '<|end|>' }}
mistral  {{ '[THINK]' + block.thinking + '[/THINK]' }}
cohere   {{ '<|START_THINKING|>' }}
seed     {{ '<seed:think>' }}
gemma    {{ '<|channel>thought\n<channel|>' }}
kimi     {{ '◁think▷' }}
none     {{ '<|im_start|>assistant\n' }}`) {
		want, template, _ := strings.Cut(strings.TrimSpace(line), " ")
		b, err := budget.Choice{}.For(&keeper{}, budget.Dialogue{Prompt: "Which?", Template: template, Context: 40960})
		switch {
		case err != nil:
			t.Errorf("%s: %v", template, err)
		case want == "none" && b != nil:
			t.Errorf("%s: thinks in %s, and should not", template, b.Way.Name)
		case want != "none" && (b == nil || b.Way.Name != want || b.Most() != budget.Default):
			t.Errorf("%s: %+v, want %s", template, b, want)
		}
	}
}

func TestABudgetIsFoundOrRefused(t *testing.T) {
	thinks := budget.Dialogue{Prompt: "?", Template: "{{ '<think>' }}"}
	with := func(change func(*budget.Dialogue)) budget.Dialogue {
		changed := thinks
		change(&changed)
		return changed
	}
	nine := budget.Choice{Tokens: []int{9}}
	for name, test := range map[string]struct {
		choice   budget.Choice
		model    backends.Model
		dialogue budget.Dialogue
		want     []int  // nil: none
		err      string // empty: none
	}{
		"the default":        {budget.Choice{}, &keeper{}, thinks, []int{8192}, ""},
		"of a short context": {budget.Choice{}, &keeper{}, with(func(d *budget.Dialogue) { d.Context = 4096 }), []int{2048}, ""},
		"none for a cap":     {budget.Choice{Free: true}, &keeper{}, thinks, nil, ""},
		"none when off":      {budget.Choice{}, &keeper{}, with(func(d *budget.Dialogue) { d.Off = true }), nil, ""},
		"none for raw":       {budget.Choice{}, &keeper{}, with(func(d *budget.Dialogue) { d.Prompt = "" }), nil, ""},
		"none elsewhere":     {budget.Choice{}, &scripted.Model{}, thinks, nil, ""},
		"none where closed": {budget.Choice{}, &keeper{},
			with(func(d *budget.Dialogue) { d.Prompt = "?<think>\n\n</think>\n\n" }), nil, ""},
		"of an opened prompt":   {budget.Choice{}, &keeper{}, budget.Dialogue{Prompt: "?[THINK]\n"}, []int{8192}, ""},
		"chosen":                {budget.Choice{Tokens: []int{0, 9}}, &keeper{}, thinks, []int{0, 9}, ""},
		"of the model's tokens": {nine, &knower{tokens: []string{"[THINK]", "[/THINK]"}}, budget.Dialogue{Prompt: "?"}, []int{9}, ""},
		"of half of its marks": {nine, &knower{tokens: []string{"[THINK]"}}, budget.Dialogue{Prompt: "?"}, nil,
			"have marks of thinking that are known"},
		"raw": {nine, &keeper{}, with(func(d *budget.Dialogue) { d.Prompt = "" }), nil, "give prompt chat"},
		"off": {nine, &keeper{}, with(func(d *budget.Dialogue) { d.Off = true }), nil, "think off leaves out"},
		"closed": {nine, &keeper{}, with(func(d *budget.Dialogue) { d.Prompt = "?<think></think>" }), nil,
			"give think on"},
		"another backend":  {nine, &scripted.Model{}, thinks, nil, "this backend can't end thinking"},
		"the backend's no": {budget.Choice{Tokens: []int{13}}, &keeper{}, thinks, nil, "thirteen is none"},
	} {
		b, err := test.choice.For(test.model, test.dialogue)
		switch {
		case test.err != "":
			errortest.For(t, name, err, test.err)
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case test.want == nil && b != nil || test.want != nil && (b == nil || !slices.Equal(b.Tokens, test.want)):
			t.Errorf("%s: %+v, want %d", name, b, test.want)
		}
	}
}

func TestPeopleAreToldWhenThinkingEnds(t *testing.T) {
	b := &backends.Budget{Tokens: []int{512, 2048, 8192}, Way: backends.Tags}
	want := "thinking is closed after 512, 2,048 and 8,192 tokens (</think>), an answer after 100 tokens"
	assert.Check(t, is.Equal(budget.Line(b, 100, true), want))
}

func TestAPromptThatClosesThinkingIsKnown(t *testing.T) {
	for _, test := range []struct {
		dialogue budget.Dialogue
		want     string
	}{
		{budget.Dialogue{Prompt: "Which?<|im_start|>assistant\n<think>\n\n</think>\n\n"}, "</think>"},
		{budget.Dialogue{Prompt: "Which?<|im_start|>assistant\n<think>\n\n</think>\n\n", Off: true}, ""},
		{budget.Dialogue{Prompt: "Which?<|im_start|>assistant\n<think>\n"}, ""},
		{budget.Dialogue{}, ""},
	} {
		assert.Check(t, is.Equal(budget.Shut(test.dialogue), test.want), "%+v", test.dialogue)
	}
}
