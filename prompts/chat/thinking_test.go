package chat

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/scripts/tests/errortest"
)

// turns writes each turn as its role and what a macro makes of it, and opens the assistant's with a prompt's end.
func turns(assistant, opening string) string {
	return "{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'assistant' %}" + assistant +
		"{% else %}{{ m.content }}{% endif %}<|end|>\n{% endfor %}{% if add_generation_prompt %}<|assistant|>" + opening +
		"{% endif %}"
}

func TestMarksOfThinkingAreReadFromTheTemplate(t *testing.T) {
	const plain = "{{ m.content }}"
	thinks := func(before, behind string) string {
		return "{% if m.reasoning_content %}" + before + "{{ m.reasoning_content }}" + behind + "{% endif %}{{ m.content }}"
	}
	for name, c := range map[string]struct {
		source string
		want   Marks
	}{
		"none": {turns(plain, ""), Marks{}},
		"in tags": {turns(thinks("<think>\n", "\n</think>\n\n"), ""),
			Marks{"<think>", "</think>", ""}},
		"opened by the prompt": {turns(thinks("<mm:think>", "</mm:think>"), "<mm:think>\n"),
			Marks{"<mm:think>", "</mm:think>", ""}},
		"opened by the prompt alone": {turns(thinks("", "\n[BEGIN ANSWER]"), "I think:\n"),
			Marks{"I think:", "[BEGIN ANSWER]", ""}},
		"another name for what it thinks": {turns("{% if m.thinking %}[T]{{ m.thinking }}[/T]{% endif %}"+plain, ""),
			Marks{"[T]", "[/T]", ""}},
		"parts of the content": {turns("{% if m.content is string %}"+plain+"{% else %}{% for p in m.content %}{% if "+
			"p.type == 'thinking' %}"+
			"[THINK]{{ p.thinking }}[/THINK]{% else %}{{ p.text }}{% endif %}{% endfor %}{% endif %}", ""),
			Marks{"[THINK]", "[/THINK]", ""}},
		"a value written out is no mark": {turns("{{ m.content | string }}", ""), Marks{}},
		"an answer in a turn of its own": {turns("{% if m.thinking %}<|inner|>{{ m.thinking }}<|end|>\n<|assistant|>{% "+
			"endif %}<|outer|>"+plain, ""), Marks{"<|inner|>", "<|outer|>", "<|end|>\n<|assistant|><|outer|>"}},
		"an answer with a mark of its own": {turns("{% if m.thinking %}<|open|>think<|sep|>{{ m.thinking "+
			"}}<|close|>think<|sep|>{% endif %}"+
			"<|open|>answer<|sep|>"+plain, ""), Marks{"<|open|>think<|sep|>", "<|close|>think<|sep|>",
			"<|close|>think<|sep|><|open|>answer<|sep|>"}},
		"closed where it is off": {turns(plain, "{% if enable_thinking is false %}<|channel>thought\n<channel|>{% endif %}"),
			Marks{"<|channel>thought", "<channel|>", ""}},
		"left out of earlier turns": {turns("{{ m.content.split('</think>')[-1] }}", "<think>\n"),
			Marks{"<think>", "</think>", ""}},
	} {
		got, found := ofModel(t, c.source).Thinking()
		assert.Check(t, got == c.want && found == (c.want != Marks{}), "%s: %q, %v, want %q", name, got, found, c.want)
	}
}

func TestThinkingIsSwitchedByTheTemplatesOwnVariable(t *testing.T) {
	off := false
	for switched, want := range map[string]string{
		"{% if enable_thinking is false %}off{% endif %}":             "off",
		"{% if thinking is defined and not thinking %}off{% endif %}": "off",
		"{% if enable_thinking %}{% endif %}":                         "knows no enable_thinking; leave thinking on auto",
		"{% if thinking_mode == 'no' %}off{% endif %}":                "switched with template arg thinking_mode=…",
		"{% if thinking_budget == 0 %}off{% elif thinking_budget %}" +
			"{{ thinking_budget }}{% endif %}": "template arg thinking_budget=…",
		"{% if '/no_think' in messages[0].content %}off{% endif %}": "it may be switched with system /no_think",
	} {
		text, err := ofModel(t, turns("", switched)).Render(question,
			Options{EnableThinking: &off, AddGenerationPrompt: true})
		if err != nil {
			assert.Check(t, errors.Is(err, ErrThinkingUnknown))
			errortest.For(t, switched, err, want)
			continue
		}
		assert.Check(t, strings.HasSuffix(text, want), "%s: %q", switched, text)
	}
}

func TestAVariableIsNotSetTwice(t *testing.T) {
	template := ofModel(t, "{% if thinking %}on{% endif %}{{ reasoning_effort }}")
	for name, o := range map[string]Options{
		"think sets thinking too":                    {EnableThinking: new(true), Arguments: Arguments{"thinking": false}},
		"reasoning effort sets reasoning_effort too": {Effort: "low", Arguments: Arguments{"reasoning_effort": "high"}},
	} {
		_, err := template.Render(question, o)
		errortest.Says(t, err, name+": give it or template arg ")
	}
}

func TestTheMarkThatEndsATurn(t *testing.T) {
	for source, want := range map[string]string{
		turns("{{ m.content }}", ""):                                         "<|end|>",
		"{% for m in messages %}[INST]{{ m.content }}[/INST]{% endfor %}":    "[/INST]",
		"{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}": "",
		"{{ raise_exception('no') }}":                                        "",
	} {
		assert.Check(t, is.Equal(ofModel(t, source).TurnEnd(), want), source)
	}
}
