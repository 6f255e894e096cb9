package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/sharedtest"
)

// reference is one conversation as Jinja2 renders it with Hugging Face's settings.
type reference struct {
	Template, Conversation, Now, Text, Error string
	Messages                                 []Message
	BOS                                      string `json:"bos_token"`
	EOS                                      string `json:"eos_token"`
	AddGenerationPrompt                      bool   `json:"add_generation_prompt"`
	EnableThinking                           *bool  `json:"enable_thinking"`
}

func (r *reference) options(t testing.TB) Options {
	now, err := time.Parse("2006-01-02T15:04:05", r.Now)
	assert.NilError(t, err)
	return Options{BOS: r.BOS, EOS: r.EOS, AddGenerationPrompt: r.AddGenerationPrompt, EnableThinking: r.EnableThinking, Now: now}
}

func readReferences(t testing.TB) []reference {
	data, err := os.ReadFile(sharedtest.Path(t, "reference/chat.jsonl"))
	assert.NilError(t, err)
	var references []reference
	for scanner := bufio.NewScanner(bytes.NewReader(data)); scanner.Scan(); {
		var next reference
		assert.NilError(t, json.Unmarshal(scanner.Bytes(), &next))
		references = append(references, next)
	}
	return references
}

func readTemplate(t testing.TB, name string) *Template {
	return templateIn(t, sharedtest.Path(t, "data/chat-templates"), name)
}

// lenient are templates that Jinja2 refuses some conversations of, and the library none: it sets an attribute of what is no
// namespace, and an undefined variable is an empty text to it.
var lenient = map[string]string{
	"MiroThinker":                          "cannot assign attribute on non-namespace object",
	"fireworks-ai-llama-3-firefunction-v2": "'functions' is undefined",
}

func TestPublishedTemplatesRenderAndRefuseAsJinja2Does(t *testing.T) {
	rendered, refused, accepted := 0, 0, 0
	for _, want := range readReferences(t) {
		got, err := readTemplate(t, want.Template).Render(want.Messages, want.options(t))
		name := want.Template + " " + want.Conversation
		switch {
		case want.Error != "":
			_, message, _ := strings.Cut(want.Error, ": ")
			if lenient[want.Template] == message && err == nil && got != "" {
				accepted++
				continue
			}
			if reason(err) != message {
				t.Errorf("%s: got %q (%v), want the refusal %q", name, got, err, message)
				continue
			}
			refused++
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case got != want.Text:
			t.Errorf("%s:\n got %q\nwant %q", name, got, want.Text)
		default:
			rendered++
		}
	}
	assert.Check(t, rendered == 220 && refused == 2 && accepted == 6,
		"%d conversations rendered and %d refused as by Jinja2, %d refused by Jinja2 alone; want 220, 2 and 6", rendered, refused, accepted)
}

// TestWhatTheLibraryWritesOtherwise is about what no published template needs for a conversation without tools. Jinja2 writes or
// refuses what stands behind.
func TestWhatTheLibraryWritesOtherwise(t *testing.T) {
	for source, want := range map[string]string{
		"{{ nothing.attribute }}|{{ none }}":                 "|",        // UndefinedError; None
		"{{ ['ab', 'c'] | map('length') | join }}":           "abc",      // 21
		"{% filter indent(2, first=true) %}a{% endfilter %}": "a",        // two blanks before it
		"{{ '<' | tojson(indent=1) }}":                       `"\u003c"`, // "<"
		"{% set m = [] %}{% set x = m.append(1) %}{{ m }}":   "[1]",      // SecurityError
		"{% if true %}a{% endif +%}\nb":                      "ab",       // with a line end between them
		"{{ 1 + '2' }}":                                      "12",       // TypeError
	} {
		got, err := RenderInProcess(Job{Source: source, Variables: []byte("{}")})
		assert.Check(t, err == nil && got == want, "%s: %q, %v, want %q", source, got, err, want)
	}
}

// reason is the message of a refusal.
func reason(err error) string {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal.Message
	}
	return ""
}
