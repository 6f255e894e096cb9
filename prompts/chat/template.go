// Package chat renders conversations with a model's own chat template, as Hugging Face's tokenizers do it: the same
// settings, byte for byte the same text. A conversation is all that templates get: tools and documents are not defined.
//
// Shape: Parse takes the template that a GGUF or a file carries. Template.Render gives the text of a conversation exactly as the
// template has it, and a *Refusal where the template refuses. Template.Fold is one level up: to a template that
// takes no system turn it gives that turn's text inside the first user turn, and says so.
//
// A template comes from a stranger's file, and the library that knows the language, github.com/ardanlabs/jinja, limits nothing. So
// parsing and rendering are jobs of a Renderer, which is a Process for all but tests.
//
// Neighbours: prompts makes the turns; the caller tokenises the text with special tokens parsed and without adding a
// BOS, because templates write bos_token themselves.
package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/dustin/go-humanize"

	"proctor/backends/setting"
)

// Message is one turn of a conversation. Role is "system", "user" or "assistant".
type Message struct {
	Role    string
	Content string
}

// Options are the variables that a template gets besides the conversation.
type Options struct {
	BOS, EOS string // the tokens' text, as in "<s>"
	// AddGenerationPrompt asks the template to open the assistant's turn.
	AddGenerationPrompt bool
	// EnableThinking sets the template's enable_thinking; nil leaves it undefined, which is the model's own default.
	EnableThinking *bool
	// Effort sets the template's reasoning_effort; empty leaves it undefined.
	Effort string
	// Arguments are further variables. One that the template does not read is an [*ArgumentError].
	Arguments Arguments
	// Now is the time for strftime_now. Without it a template that prints a date is an error.
	Now time.Time
}

// Template is a chat template. It is immutable: any number of goroutines may render it.
type Template struct {
	called string // for people
	source string
	reads  map[string]bool
	render Renderer
}

// Refusal is the message of a template that refuses a conversation with raise_exception.
type Refusal struct{ Message string }

func (r *Refusal) Error() string { return "it refuses the conversation: " + r.Message }

// ErrThinkingUnknown is EnableThinking for a template that would ignore it.
var ErrThinkingUnknown = errors.New("the model's chat template knows no enable_thinking; leave thinking on auto")

// ErrEffortUnknown is Effort for a template that would ignore it.
var ErrEffortUnknown = setting.Errorf("the model's chat template knows no reasoning_effort; leave %s out", setting.ReasoningEffort)

// OfModel is the name of a model's own template in messages.
const OfModel = "the model's chat template"

// maxSource is the most bytes of a template. The longest published ones have some 20 kB.
const maxSource = 1 << 20

// Parse takes a chat template, which errors call so. One that is not valid Jinja is an error.
func Parse(called, source string, by Renderer) (*Template, error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("%s: %s: a template has at most %s", called, humanize.IBytes(uint64(len(source))), humanize.IBytes(maxSource))
	}
	if _, err := by(Job{Source: source}); err != nil {
		return nil, fmt.Errorf("%s: %w", called, err)
	}
	return &Template{called: called, source: source, reads: namesIn(source), render: by}, nil
}

// KnowsThinking says whether the template reads enable_thinking.
func (t *Template) KnowsThinking() bool { return t.reads["enable_thinking"] }

// Render gives the conversation's text. The error wraps a *Refusal where the template refuses the conversation;
// ErrThinkingUnknown if EnableThinking would have no effect, and ErrEffortUnknown if Effort would not.
func (t *Template) Render(messages []Message, o Options) (string, error) {
	if o.EnableThinking != nil && !t.KnowsThinking() {
		return "", ErrThinkingUnknown
	}
	if o.Effort != "" && !t.reads["reasoning_effort"] {
		return "", ErrEffortUnknown
	}
	if name := t.ignored(o.Arguments); name != "" {
		return "", &ArgumentError{t.called, name}
	}
	variables := map[string]any{"bos_token": o.BOS, "eos_token": o.EOS, "add_generation_prompt": o.AddGenerationPrompt}
	if o.EnableThinking != nil {
		variables["enable_thinking"] = *o.EnableThinking
	}
	if o.Effort != "" {
		variables["reasoning_effort"] = o.Effort
	}
	maps.Copy(variables, o.Arguments)
	encoded, err := json.Marshal(variables)
	if err != nil {
		return "", err
	}
	rendered, err := t.render(Job{Source: t.source, Messages: messages, Variables: encoded, Now: o.Now})
	if err != nil {
		return "", fmt.Errorf("%s: %w", t.called, err)
	}
	return rendered, nil
}
