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

	"proctor/prompts/chat/jinja"
	"proctor/scripts/tests/sharedtest"
)

// reference is one conversation as Jinja2 renders it with Hugging Face's settings.
type reference struct {
	Template            string    `json:"template"`
	Conversation        string    `json:"conversation"`
	Messages            []Message `json:"messages"`
	BOS                 string    `json:"bos_token"`
	EOS                 string    `json:"eos_token"`
	AddGenerationPrompt bool      `json:"add_generation_prompt"`
	Now                 string    `json:"now"`
	EnableThinking      *bool     `json:"enable_thinking"`
	Text                string    `json:"text"`
	Error               string    `json:"error"`
}

func (r *reference) options(t testing.TB) Options {
	now, err := time.Parse("2006-01-02T15:04:05", r.Now)
	if err != nil {
		t.Fatal(err)
	}
	return Options{BOS: r.BOS, EOS: r.EOS, AddGenerationPrompt: r.AddGenerationPrompt, EnableThinking: r.EnableThinking, Now: now}
}

func readReferences(t testing.TB) []reference {
	data, err := os.ReadFile(sharedtest.Path(t, "reference/chat.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var references []reference
	for scanner := bufio.NewScanner(bytes.NewReader(data)); scanner.Scan(); {
		var next reference
		if err := json.Unmarshal(scanner.Bytes(), &next); err != nil {
			t.Fatal(err)
		}
		references = append(references, next)
	}
	return references
}

func readTemplate(t testing.TB, name string) *Template {
	return templateIn(t, sharedtest.Path(t, "data/chat-templates"), name)
}

func TestPublishedTemplatesRenderAndRefuseAsJinja2Does(t *testing.T) {
	references := readReferences(t)
	rendered, refused := 0, 0
	for _, want := range references {
		got, err := readTemplate(t, want.Template).Render(want.Messages, want.options(t))
		name := want.Template + " " + want.Conversation
		switch {
		case want.Error != "":
			_, message, _ := strings.Cut(want.Error, ": ")
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
	if rendered != 220 || refused != 8 {
		t.Errorf("%d conversations rendered and %d refused as by Jinja2, want 220 and 8", rendered, refused)
	}
}

// reason is the message of an error without what the packages put around it.
func reason(err error) string {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal.Message
	}
	if failed, ok := errors.AsType[*jinja.Error](err); ok {
		return failed.Message
	}
	return ""
}
