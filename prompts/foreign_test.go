package prompts

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// The templates of evalscope 1.14.1 for mmlu_pro. TestStylesReproduceTheReferenceImplementations has the bytes that they give.
const (
	evalscopeAsks = "Answer the following multiple choice question. The last line of your response should be of the following format: " +
		"'ANSWER: [LETTER]' (without quotes) where [LETTER] is one of {letters}. Think step by step before answering.\n\n" +
		"Question:\n{question}\nOptions:\n{choices}\n"
	evalscopeBegins = "The following are multiple choice questions (with answers) about {subject}. Think step by step and then finish your " +
		"answer with 'ANSWER: [LETTER]' (without quotes) where [LETTER] is the correct letter choice.\n\n{examples}\n"
)

func TestEvalscopesOwnTemplateIsItsStyle(t *testing.T) {
	const other = "a template of Python's that is not evalscope's own: `proctor help style` shows how a style is written"
	for text, want := range map[string][2]string{
		evalscopeAsks:                                   {"evalscope@1", ""},
		evalscopeBegins + evalscopeAsks:                 {"evalscope@1", ""},
		strings.ReplaceAll(evalscopeAsks, "\n", "\r\n"): {"evalscope@1", ""},
		evalscopeBegins:                                 {"", other},
		"Think first. " + evalscopeAsks:                 {"", other},
		"{question}\n{choices}\n":                       {"", other},
		"Is it {{.Question}}?":                          {"", ""},
		"style: mine@1\n-- question --\n{question} is {{.Question}}\n": {"", ""},
		"": {"", ""},
	} {
		style, err := StyleOfPythonTemplate(text)
		assert.Check(t, is.Equal(style, want[0]), "%s", text)
		assert.Check(t, err == nil && want[1] == "" || err != nil && err.Error() == want[1], "%s: %v", text, err)
	}
	for _, s := range Styles {
		style, err := StyleOfPythonTemplate(s.Text)
		assert.Check(t, err == nil && style == "", "%s: %s, %v", s.Name, style, err)
	}
}
