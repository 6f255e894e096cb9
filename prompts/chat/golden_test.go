package chat

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/scripts/tests/errortest"
)

// A prompt's bytes count, line ends too.
func init() { golden.NormalizeCRLFToLF = false }

var (
	question = []Message{{"user", "Is <b>π</b> > 3 & \"irrational\"?\nA. True\nB. False\n"}}
	shots    = []Message{
		{"system", "Answer with one letter.\n"},
		{"user", "What is 2 + 2?\nA. 3\nB. 4\n"},
		{"assistant", "<think>\n3 − 1 is 2.\n</think>\n\nThe answer is (B)."},
		question[0],
	}
	aPrompt = Options{BOS: "<s>", EOS: "</s>", AddGenerationPrompt: true,
		Now: time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)}
)

func ownTemplate(t testing.TB, name string) *Template {
	return templateIn(t, filepath.Join("testdata", "templates"), name)
}

func templateIn(t testing.TB, folder, name string) *Template {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(folder, name+".jinja"))
	assert.NilError(t, err)
	return ofModel(t, string(source))
}

func ofModel(t testing.TB, source string) *Template {
	t.Helper()
	template, err := Parse(OfModel, source)
	assert.NilError(t, err)
	return template
}

func thinking(on bool) Options {
	o := aPrompt
	o.EnableThinking = &on
	return o
}

func TestOwnTemplatesRenderAsTheirGoldens(t *testing.T) {
	for _, c := range []struct {
		template, variant string
		messages          []Message
		options           Options
	}{
		{"marked-turns", "question", question, aPrompt},
		{"marked-turns", "shots", shots, aPrompt},
		{"marked-turns", "transcript", shots, Options{}},
		{"no-system", "question", question, aPrompt},
		{"no-system", "shots", shots, aPrompt},
		{"deaf-to-system", "shots", shots, aPrompt},
		{"thinking", "question", question, aPrompt},
		{"thinking", "shots", shots, aPrompt},
		{"thinking", "shots-on", shots, thinking(true)},
		{"thinking", "shots-off", shots, thinking(false)},
		{"as-json", "shots", shots, aPrompt},
	} {
		t.Run(c.template+" "+c.variant, func(t *testing.T) {
			got, err := ownTemplate(t, c.template).Render(c.messages, c.options)
			if err != nil {
				got = "refused: " + reason(err)
			}
			golden.Assert(t, got, filepath.Join("golden", c.template+"-"+c.variant+".txt"))
		})
	}
}

func TestASystemTurnThatATemplateDoesNotTakeGoesIntoTheFirstUserTurn(t *testing.T) {
	head := "Answer with one letter.\n\n\nWhat is 2 + 2?"
	for _, c := range []struct {
		template string
		messages []Message
		folded   bool
		reason   string
	}{
		{"marked-turns", shots, false, ""},
		{"marked-turns", question, false, ""},
		{"no-system", shots, true, "this model knows no system turn"},
		{"no-system", question, false, ""},
		{"deaf-to-system", shots, true, "the template leaves the system turn out"},
		{"deaf-to-system", question, false, ""},
	} {
		got, err := ownTemplate(t, c.template).Fold(c.messages, aPrompt)
		assert.NilError(t, err, c.template)
		assert.Check(t, got.SystemFolded == c.folded && got.Reason == c.reason &&
			strings.Contains(got.Text, head) == c.folded,
			"%s: folded %v for %q, want %v for %q; text %q", c.template, got.SystemFolded, got.Reason, c.folded, c.reason,
			got.Text)
	}
	assert.Check(t, shots[0].Role == "system" && shots[1].Content == "What is 2 + 2?\nA. 3\nB. 4\n",
		"folding changed the conversation it was given: %q", shots)
}

func TestARefusalThatFoldingDoesNotCureIsTheTemplatesOwn(t *testing.T) {
	twoUsers := []Message{{"system", "Be brief."}, {"user", "One?"}, {"user", "Two?"}}
	for _, messages := range [][]Message{twoUsers, twoUsers[1:], twoUsers[:1]} {
		got, err := ownTemplate(t, "no-system").Fold(messages, aPrompt)
		var refusal *Refusal
		assert.Check(t, errors.As(err, &refusal) &&
			got == (Rendering{}), "%q: got %+v, %v; want a refusal", messages, got, err)
	}
	_, err := ownTemplate(t, "no-system").Fold(twoUsers, aPrompt)
	assert.Check(t, reason(err) == "this model knows no system turn",
		"got %v, want the refusal of the conversation as it was", err)
}

func TestThinkingIsAnErrorWhereTheTemplateDoesNotKnowIt(t *testing.T) {
	for name, knows := range map[string]bool{"thinking": true, "marked-turns": false, "no-system": false} {
		template := ownTemplate(t, name)
		_, err := template.Render(question, thinking(false))
		assert.Check(t, (template.toggle == "enable_thinking") == knows &&
			errors.Is(err, ErrThinkingUnknown) != knows, "%s: %v", name, err)
	}
	for source, knows := range map[string]bool{
		"{# enable_thinking #}{{ 'enable_thinking' }}":                         false,
		"{% set enable_thinking = true %}":                                     false,
		"{{ x.enable_thinking }}":                                              false,
		"{{ {'a': '}}' , 'b': x . enable_thinking} }}":                         false,
		"{% macro m() %}{% if not enable_thinking %}{% endif %}{% endmacro %}": true,
		"{{ '\\'}}' ~ enable_thinking }}":                                      true,
		"{% set x=enable_thinking==true %}":                                    true,
	} {
		assert.Check(t, ofModel(t, source).parsed.Reads("enable_thinking") == knows, source)
	}
}

func TestATemplateThatCannotBeRenderedIsAnError(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a tag of Jinja2's that is lacking", "\n{% include 'x' %}", "line 2: the statement include is not supported"},
		{"a tag that does not exist", "{% fi %}", "line 1: there is no statement fi"},
		{"a filter that is lacking", "{% if true %}\n{{ messages | pprint }}{% endif %}",
			"the filter pprint is not supported"},
		{"what Jinja2 writes with its address", "{{ messages | select }}",
			"a generator that is written out is not supported"},
		{"a function that is not given", "{{ get_weather() }}", "'get_weather' is undefined"},
		{"a date without a clock", "{{ strftime_now('%Y') }}", "strftime_now: no time was given"},
		{"a date without a format", "{{ strftime_now() }}", "strftime_now: missing a required argument"},
		{"a refusal without a message", "{{ raise_exception() }}", "raise_exception: missing a required argument"},
		{"more than a template has", strings.Repeat("{# #}", maxSource), "a template has at most 1.0 MiB"},
	} {
		template, err := Parse(OfModel, c.source)
		var text string
		if err == nil {
			text, err = template.Render(question, Options{})
		}
		errortest.For(t, c.name, err, c.want)
		assert.Check(t, text == "", "%s: %q", c.name, text)
	}
}
