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
	return Options{BOS: r.BOS, EOS: r.EOS, AddGenerationPrompt: r.AddGenerationPrompt, EnableThinking: r.EnableThinking,
		Now: now}
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

func TestPublishedTemplatesRenderAndRefuseAsJinja2Does(t *testing.T) {
	rendered, refused := 0, 0
	for _, want := range readReferences(t) {
		got, err := readTemplate(t, want.Template).Render(want.Messages, want.options(t))
		name := want.Template + " " + want.Conversation
		switch {
		case want.Error != "":
			_, message, _ := strings.Cut(want.Error, ": ")
			assert.Check(t, err != nil && strings.Contains(err.Error(), ": "+message), "%s: got %q (%v), want the refusal %q",
				name, got, err, message)
			refused++
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case got != want.Text:
			t.Errorf("%s:\n got %q\nwant %q", name, got, want.Text)
		default:
			rendered++
		}
	}
	assert.Check(t, rendered == 220 && refused == 8,
		"%d conversations rendered and %d refused as by Jinja2, want 220 and 8", rendered, refused)
}

// reason is the message of a refusal.
func reason(err error) string {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal.Message
	}
	return ""
}
